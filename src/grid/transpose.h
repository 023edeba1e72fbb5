// transpose: the fastest copy between arrays whose fastest axes differ.
#pragma once

#include <cstddef>

#include "esker/box.hpp"

namespace esker {

/// Whether transpose() takes elements of that size here: 4 and 8 bytes, on processors with AVX2.
[[nodiscard]] bool can_transpose(Index element_bytes);

/// Copies element (i, j) for i < num_columns, j < num_rows from source + i * source_stride + j *
/// element_bytes to target + j * target_stride + i * element_bytes. Strides in bytes, of either sign; nothing
/// need be aligned; source and target do not overlap. can_transpose(element_bytes).
void transpose(Index element_bytes, Index num_columns, Index num_rows, const std::byte* source,
               Index source_stride, std::byte* target, Index target_stride);

}  // namespace esker
