// Boxes and lattices in the coordinates of a larger or a smaller grid.
#pragma once

#include <algorithm>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"

namespace esker {

/// The samples of a grid that begins at `corner` of another one, in coordinates of the other one.
inline Box moved_to(const Point& corner, Box box) {
  for (int a = 0; a < box.rank; ++a) box.lo[a] += corner[a], box.hi[a] += corner[a];
  return box;
}

/// The reverse: samples of the other grid, in coordinates that begin at `corner`.
inline Box moved_from(const Point& corner, Box box) {
  for (int a = 0; a < box.rank; ++a) box.lo[a] -= corner[a], box.hi[a] -= corner[a];
  return box;
}
inline Lattice moved_from(const Point& corner, Lattice samples) {
  for (int a = 0; a < samples.rank; ++a) samples.origin[a] -= corner[a];
  return samples;
}

/// The smallest box that contains two boxes of the same rank. Both have samples.
inline Box hull(Box a, const Box& b) {
  for (int axis = 0; axis < a.rank; ++axis) {
    a.lo[axis] = std::min(a.lo[axis], b.lo[axis]);
    a.hi[axis] = std::max(a.hi[axis], b.hi[axis]);
  }
  return a;
}

}  // namespace esker
