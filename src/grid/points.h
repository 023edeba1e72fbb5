// Loops over the points of a box.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

/// Calls visit(p) for the points of a box, x fastest.
template <class Visit>
void for_each_index_point(const Box& box, Visit visit) {
  if (box.empty()) return;
  Point p = box.lo;
  for (;;) {
    visit(p);
    int axis = 0;
    while (axis < box.rank && ++p[axis] == box.hi[axis]) p[axis] = box.lo[axis], ++axis;
    if (axis == box.rank) return;
  }
}

}  // namespace esker
