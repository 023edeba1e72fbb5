// Array: one column of values per own node, with one ghost column around the own part.
//
// Storage order is (y, x, z), z fastest, ghosts included: PISM's IceModelVec3. A map is an array with
// one level.
#pragma once

#include <algorithm>
#include <vector>

#include "grid.h"

namespace pism {

inline constexpr Index kGhosts = 1;  ///< ghost columns on each side

template <class T>
class Array {
 public:
  explicit Array(const Grid& grid, Index levels = 1)
      : levels_(levels),
        row_(grid.xm + 2 * kGhosts),
        values_(static_cast<std::size_t>(row_ * (grid.ym + 2 * kGhosts) * levels)) {}

  [[nodiscard]] Index levels() const { return levels_; }
  /// Elements from one column to the next along x, and along y.
  [[nodiscard]] Index stride_x() const { return levels_; }
  [[nodiscard]] Index stride_y() const { return row_ * levels_; }

  /// The column at own indices -1 <= i <= xm, -1 <= j <= ym; `levels` values.
  T* column(Index i, Index j) { return values_.data() + offset(i, j); }
  const T* column(Index i, Index j) const { return values_.data() + offset(i, j); }
  /// The value of a map.
  T& operator()(Index i, Index j) { return *column(i, j); }
  const T& operator()(Index i, Index j) const { return *column(i, j); }

  void fill(T value) { std::fill(values_.begin(), values_.end(), value); }
  /// All values, ghosts included, in storage order.
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }

 private:
  [[nodiscard]] Index offset(Index i, Index j) const {
    return (j + kGhosts) * stride_y() + (i + kGhosts) * stride_x();
  }

  Index levels_;
  Index row_;
  std::vector<T> values_;
};

}  // namespace pism
