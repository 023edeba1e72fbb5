#include "esker/types/lattice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/checked.h"

namespace esker {

Index Lattice::num_samples() const {
  Index product = 1;
  for (int a = 0; a < rank; ++a) product *= count[a];
  return product;
}

Point Lattice::point(const Point& lattice_index) const {
  Point p;
  for (int a = 0; a < kMaxRank; ++a) p[a] = origin[a] + lattice_index[a] * stride[a];
  return p;
}

Box Lattice::indices_in(const Box& box) const {
  Box out = all_indices();
  for (int a = 0; a < rank; ++a) {
    // Clamped first, so that boxes with extreme corners cannot overflow the differences.
    const Index end = origin[a] + count[a] * stride[a];
    out.lo[a] = ceil_div(std::clamp(box.lo[a], origin[a], end) - origin[a], stride[a]);
    out.hi[a] = ceil_div(std::clamp(box.hi[a], origin[a], end) - origin[a], stride[a]);
  }
  return out;
}

Box Lattice::bounds() const {
  Box out(rank, origin, origin);
  for (int a = 0; a < rank; ++a) out.hi[a] += count[a] > 0 ? (count[a] - 1) * stride[a] + 1 : 0;
  return out;
}

Lattice Lattice::sub(const Box& indices) const {
  Lattice out = *this;
  out.origin = point(indices.lo);
  out.count = indices.extents();
  return out;
}

std::string Lattice::to_string() const {
  const auto axes = [this](const Point& p) { return fmt::join(p.begin(), p.begin() + rank, ","); };
  return fmt::format("origin ({}), stride ({}), count ({})", axes(origin), axes(stride), axes(count));
}

}  // namespace esker
