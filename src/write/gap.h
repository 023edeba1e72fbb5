// describe_gap: what the ranks have left out, when their boxes do not cover a grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/schema.hpp"
#include "exchange/directory.h"

namespace esker {

/// Grows `gap` over all that no box of any rank holds, axis after axis, up to `domain`; `mine` are this rank's
/// boxes. Collective, a few bytes per axis.
void grow_gap(Comm& comm, const Box& domain, const std::vector<Box>& mine, Box& gap);

/// The text of the error: the whole box that is missing and the ranks that put nothing of the field, the same
/// on all ranks; no text where the lowest rank with a defect found an overlap. `mine`: this rank's lists;
/// `first_field`: of each list, in the schema; some rank's directory has a defect. Collective; errors are
/// those of all ranks.
Result<std::optional<std::string>> describe_gap(Comm& comm, const Schema& schema,
                                                const std::vector<BoxList>& mine,
                                                const std::vector<int>& first_field,
                                                const Directory& directory);

}  // namespace esker
