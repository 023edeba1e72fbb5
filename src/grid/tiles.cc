#include "grid/tiles.h"

#include <algorithm>

#include "base/checked.h"
#include "grid/points.h"

namespace esker {

Point tile_extent(const Bitmask& mask, int level, int digits) {
  const Point samples = mask.pow2_sizes(std::max(1, level - digits + 1), level);
  const Lattice lattice = mask.samples_up_to(level);
  Point extent = samples;
  for (int a = 0; a < mask.rank(); ++a) extent[a] *= lattice.stride[a];
  return extent;
}

void for_each_tile(const Bitmask& mask, const Box& box, int level, int digits,
                   const std::function<void(const Box&)>& visit) {
  if (box.empty()) return;
  const Point extent = tile_extent(mask, level, digits);
  Box tiles = box;
  for (int a = 0; a < box.rank; ++a) {
    tiles.lo[a] = floor_div(box.lo[a], extent[a]);
    tiles.hi[a] = ceil_div(box.hi[a], extent[a]);
  }
  for_each_index_point(tiles, [&](const Point& tile) {
    Box part = box;
    for (int a = 0; a < box.rank; ++a) {
      part.lo[a] = std::max(box.lo[a], tile[a] * extent[a]);
      part.hi[a] = std::min(box.hi[a], (tile[a] + 1) * extent[a]);
    }
    visit(part);
  });
}

}  // namespace esker
