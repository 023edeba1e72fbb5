// convert_row: converts numbers, some of which may not fit.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

/// Converts `count` numbers that are `stride_bytes` apart to dense ones. Those that `to` cannot hold become
/// `misfit`, one number of that type; false if there are any. Local.
bool convert_row(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
                 std::span<const std::byte> misfit, std::byte* target, Index count);

/// The same to numbers that are `target_stride_bytes` apart. Allocates nothing.
bool place_row(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
               std::span<const std::byte> misfit, std::byte* target, Index target_stride_bytes, Index count);

}  // namespace esker
