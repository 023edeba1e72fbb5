// Random grids in blocks.
#pragma once

#include "grid/blocks.h"
#include "unit/grid/brute_force.h"

namespace esker::testing_support {

/// Of 1 to 3 axes and either kind of mask, with blocks of 1 sample to the whole grid.
inline BlockGrid random_grid(Random& random) {
  Box box;
  box.rank = static_cast<int>(random.in(1, 3));
  for (int a = 0; a < box.rank; ++a) box.hi[a] = random.in(2, box.rank < 3 ? 60 : 17);
  const Bitmask mask = random.in(0, 1) ? Bitmask::for_extent(box.rank, box.hi).value()
                                       : Bitmask::longest_first(box.rank, box.hi).value();
  return {mask, static_cast<int>(random.in(0, mask.max_level())), box};
}

}  // namespace esker::testing_support
