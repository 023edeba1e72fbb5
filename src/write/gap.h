// describe_gap: describes the samples that no rank put, if the boxes do not cover a grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "exchange/directory.h"

namespace esker {

/// Extends `gap` to the surrounding area that no box of any rank covers, axis by axis, up to `domain`.
/// `mine`: this rank's boxes. Collective, a few bytes per axis.
void grow_gap(Comm& comm, const Box& domain, const std::vector<Box>& mine, Box& gap);

/// The text of the error: the complete missing box and the ranks that put nothing of the field; the same on
/// all ranks. No text if the lowest rank with a defect found an overlap. `mine`: this rank's lists;
/// `first_field`: the first field of each list, in the schema. The directory of at least one rank has a
/// defect. Collective; errors are agreed on all ranks.
Result<std::optional<std::string>> describe_gap(Comm& comm, const Schema& schema,
                                                const std::vector<BoxList>& mine,
                                                const std::vector<int>& first_field,
                                                const Directory& directory);

}  // namespace esker
