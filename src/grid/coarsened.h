// The box of a coarser grid over a box of a finer one.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

/// The indices, on a grid that has one for `ratio` of the finer one along each axis, of all samples in `box`:
/// rounded outward. `box` is not empty, and has no negative indices.
inline Box coarsened(Box box, const Point& ratio) {
  for (int a = 0; a < box.rank; ++a) {
    box.lo[a] /= ratio[a];
    box.hi[a] = (box.hi[a] - 1) / ratio[a] + 1;
  }
  return box;
}

}  // namespace esker
