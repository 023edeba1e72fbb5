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

void for_each_part(const Box& box, const Point& extent, const std::function<void(const Box&)>& visit) {
  if (box.empty()) return;
  Box numbers = box;
  for (int a = 0; a < box.rank; ++a) {
    numbers.lo[a] = floor_div(box.lo[a], extent[a]);
    numbers.hi[a] = ceil_div(box.hi[a], extent[a]);
  }
  for_each_index_point(numbers, [&](const Point& number) {
    Box part = box;
    for (int a = 0; a < box.rank; ++a) {
      part.lo[a] = std::max(box.lo[a], number[a] * extent[a]);
      part.hi[a] = std::min(box.hi[a], (number[a] + 1) * extent[a]);
    }
    visit(part);
  });
}

void for_each_tile(const Bitmask& mask, const Box& box, int level, int digits,
                   const std::function<void(const Box&)>& visit) {
  for_each_part(box, tile_extent(mask, level, digits), visit);
}

}  // namespace esker
