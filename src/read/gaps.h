// The samples of a mesh that no patch covers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/query.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "read/read_target.h"

namespace esker {

/// NaN as one component of a field. kInvalidArgument: its type has none.
Result<std::vector<std::byte>> nan_of(const Field& field);

/// The value of samples without data, one component: the fill value of the field, or what `missing` requests.
/// Errors: those of nan_of().
Result<std::vector<std::byte>> gap_value(const Field& field, MissingBlocks missing);

/// Gives the samples whose flag is 0 this value, one component, and marks them as not stored. `is_covered`: a
/// flag for each sample, x fastest; empty: all are covered.
void fill_gaps(const ReadTarget& target, std::span<const std::uint8_t> is_covered, Index sample_bytes,
               std::span<const std::byte> value);

}  // namespace esker
