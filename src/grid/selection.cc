#include "grid/selection.h"

#include <algorithm>

#include "base/checked.h"

namespace esker {

Box clip(const Box& box, const Box& grid) {
  Box clipped = grid;
  for (int a = 0; a < grid.rank; ++a) {
    clipped.lo[a] = std::clamp(box.lo[a], grid.lo[a], grid.hi[a]);
    clipped.hi[a] = std::clamp(box.hi[a], grid.lo[a], grid.hi[a]);
  }
  return clipped;
}

Lattice select_samples(const Bitmask& mask, const Box& box, int level) {
  const Lattice lattice = mask.samples_up_to(level);
  Lattice selection;
  selection.rank = lattice.rank;
  for (int a = 0; a < lattice.rank; ++a) {
    const Index stride = lattice.stride[a];
    const Index first = ceil_div(box.lo[a], stride);
    selection.stride[a] = stride;
    selection.origin[a] = first * stride;
    selection.count[a] = std::max<Index>(0, ceil_div(box.hi[a], stride) - first);
  }
  return selection;
}

}  // namespace esker
