// The rows of a box, and where they are in an array or in memory.
#pragma once

#include <array>

#include "base/macros.h"
#include "esker/types/status.hpp"
#include "transfer/file_array.h"

namespace esker {

/// The array's strides, in bytes of the file.
inline std::array<Index, kMaxRank> strides_of(const FileArray& array) {
  std::array<Index, kMaxRank> strides{};
  Index bytes = array.sample_bytes();
  for (int a = 0; a < array.rank; ++a) {
    strides[static_cast<std::size_t>(a)] = bytes;
    bytes *= array.extent[static_cast<std::size_t>(a)];
  }
  return strides;
}

/// Calls visit(index) for the rows along x of a box, in file order; index.x is box.lo.x. Stops at an error.
template <class Visit>
Status for_each_row(const Box& box, const Visit& visit) {
  Point at = box.lo;
  while (true) {
    ESKER_RETURN_IF_ERROR(visit(at));
    int a = 1;
    while (a < box.rank && ++at[static_cast<std::size_t>(a)] == box.hi[static_cast<std::size_t>(a)]) {
      at[static_cast<std::size_t>(a)] = box.lo[static_cast<std::size_t>(a)];
      ++a;
    }
    if (a >= box.rank) return {};
  }
}

/// Of `at` from `from`, in bytes.
inline Index offset_of(const Point& at, const Point& from, const std::array<Index, kMaxRank>& strides,
                       int rank) {
  Index bytes = 0;
  for (int a = 0; a < rank; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    bytes += (at[axis] - from[axis]) * strides[axis];
  }
  return bytes;
}

}  // namespace esker
