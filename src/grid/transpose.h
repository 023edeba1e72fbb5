// transpose: the fastest copy between arrays whose fastest axes differ.
#pragma once

#include <cstddef>

#include "esker/types/box.hpp"

namespace esker {

/// Whether transpose() supports elements of that size on this machine: 4 and 8 bytes, on processors with
/// AVX2.
[[nodiscard]] bool can_transpose(Index element_bytes);

/// The source of transpose(): element (i, j) is at data + i * column_stride + j * row_stride. Strides are in
/// bytes, of either sign.
struct TransposeSource {
  const std::byte* data = nullptr;
  Index column_stride = 0;
  Index row_stride = 0;  ///< fastest if equal to the size of an element, then twice that
};

/// Copies element (i, j) for i < num_columns, j < num_rows to target + j * target_stride + i * element_bytes.
/// The stride is in bytes, of either sign. No alignment is required. Source and target must not overlap.
/// Reads nothing before the first or after the last element of a column. Requires
/// can_transpose(element_bytes).
void transpose(Index element_bytes, Index num_columns, Index num_rows, const TransposeSource& source,
               std::byte* target, Index target_stride);

}  // namespace esker
