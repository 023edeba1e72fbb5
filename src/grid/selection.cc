#include "grid/selection.h"

#include <algorithm>

#include "base/checked.h"

namespace esker {

bool spans_within(const Box& box, const Box& grid) {
  for (int a = 0; a < grid.rank; ++a) {
    if (std::min(box.lo[a], box.hi[a]) < grid.lo[a] || std::max(box.lo[a], box.hi[a]) > grid.hi[a])
      return false;
  }
  return true;
}

Box clip(const Box& box, const Box& grid) {
  Box clipped = grid;
  for (int a = 0; a < grid.rank; ++a) {
    clipped.lo[a] = std::clamp(box.lo[a], grid.lo[a], grid.hi[a]);
    clipped.hi[a] = std::clamp(box.hi[a], grid.lo[a], grid.hi[a]);
  }
  return clipped;
}

Lattice select_samples(const Bitmask& mask, const Box& box, int level) {
  return select_every(box, mask.samples_up_to(level).stride);
}

Lattice select_every(const Box& box, const Point& stride) {
  Lattice selection;
  selection.rank = box.rank;
  for (int a = 0; a < box.rank; ++a) {
    const Index first = ceil_div(box.lo[a], stride[a]);
    selection.stride[a] = stride[a];
    selection.origin[a] = first * stride[a];
    selection.count[a] = std::max<Index>(0, ceil_div(box.hi[a], stride[a]) - first);
  }
  return selection;
}

int coarsest_level_with(const Bitmask& mask, const Lattice& wanted) {
  for (int level = 0; level < mask.max_level(); ++level) {
    const Point stride = mask.samples_up_to(level).stride;
    bool included = true;
    for (int a = 0; a < wanted.rank; ++a) {
      included = included && wanted.origin[a] % stride[a] == 0 &&
                 (wanted.count[a] == 1 || wanted.stride[a] % stride[a] == 0);
    }
    if (included) return level;
  }
  return mask.max_level();
}

int levels_below(const Bitmask& mask, const Point& ratio) {
  Point spacing{1, 1, 1, 1, 1};
  int below = 0;
  for (int position = mask.max_level(); position >= 1; --position, ++below) {
    Index& on_axis = spacing[mask.digit(position)];
    if (on_axis == ratio[mask.digit(position)]) break;
    on_axis *= 2;
  }
  return below;
}

}  // namespace esker
