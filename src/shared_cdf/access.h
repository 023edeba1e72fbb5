// Access: values of a variable of a CDF file in the caller's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "formats/netcdf/cdf/header.h"

namespace esker::cdf {

/// One box of an access. Lists have an entry for each dimension.
struct AccessBox {
  std::span<const Index> start, count;

  [[nodiscard]] bool has_values() const { return std::find(count.begin(), count.end(), 0) == count.end(); }
};

/// Lists have an entry for each dimension, slowest first, that of records included. An access may have
/// several boxes, whose values follow each other in memory: then `start` and `count` have the entries of one
/// box after those of the other.
struct Access {
  int variable = 0;              ///< position in Header::variables
  std::vector<Index> start;      ///< the first value
  std::vector<Index> count;      ///< how many; 0 on any axis: none
  std::vector<Index> step;       ///< between values in the file; empty: 1
  std::vector<Index> map_bytes;  ///< between values in memory, if there is one box; empty: dense, row-major
  const void* values = nullptr;  ///< for writing: the value at `start`; not changed, not kept
  void* target = nullptr;        ///< for reading
  Type memory_type = Type::kFloat;  ///< kChar exactly where the variable is of characters
  /// Out: some values do not fit in the type of the variable, or of the memory. They are written as the fill
  /// value of the variable, and read as that of the type in memory.
  bool is_out_of_range = false;

  /// Of a variable with `n_dims` dimensions.
  [[nodiscard]] std::size_t num_boxes(std::size_t n_dims) const {
    return n_dims == 0 ? 1 : start.size() / n_dims;
  }
  /// Must outlive the result.
  [[nodiscard]] AccessBox box(std::size_t number, std::size_t n_dims) const {
    return {std::span(start).subspan(number * n_dims, n_dims),
            std::span(count).subspan(number * n_dims, n_dims)};
  }
};

}  // namespace esker::cdf
