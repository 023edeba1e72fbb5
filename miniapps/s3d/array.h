// Array: values of one or more components on the own cells of a rank, with ghost layers around them.
//
// Storage order is (component, z, y, x), x fastest, as S3D's arrays (nx, ny, nz, component).
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace s3d {

using esker::Index;

class Array {
 public:
  /// `cells` along x, y, z without the ghosts.
  Array(const esker::Point& cells, Index components, Index ghosts)
      : cells_(cells), components_(components), ghosts_(ghosts) {
    values_.resize(static_cast<std::size_t>(components * stride_c()));
  }

  [[nodiscard]] Index cells(int axis) const { return cells_[axis]; }
  [[nodiscard]] Index components() const { return components_; }
  [[nodiscard]] Index ghosts() const { return ghosts_; }
  /// Elements from one value to the next along y, along z, and from component to component.
  [[nodiscard]] Index stride_y() const { return cells_[0] + 2 * ghosts_; }
  [[nodiscard]] Index stride_z() const { return stride_y() * (cells_[1] + 2 * ghosts_); }
  [[nodiscard]] Index stride_c() const { return stride_z() * (cells_[2] + 2 * ghosts_); }
  [[nodiscard]] Index stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? stride_y() : stride_z(); }

  /// The value of own cell (0, j, k); the ghosts of the row are before and after its cells.
  double* row(Index c, Index j, Index k) { return values_.data() + offset(c, j, k); }
  [[nodiscard]] const double* row(Index c, Index j, Index k) const {
    return values_.data() + offset(c, j, k);
  }

  /// All values with the ghosts, in storage order.
  std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  [[nodiscard]] Index offset(Index c, Index j, Index k) const {
    return c * stride_c() + (k + ghosts_) * stride_z() + (j + ghosts_) * stride_y() + ghosts_;
  }

  esker::Point cells_;
  Index components_, ghosts_;
  std::vector<double> values_;
};

/// Calls f(j, k) for each row of own cells along x.
template <class F>
void for_rows(const Array& array, F&& f) {
  for (Index k = 0; k < array.cells(2); ++k) {
    for (Index j = 0; j < array.cells(1); ++j) f(j, k);
  }
}

}  // namespace s3d
