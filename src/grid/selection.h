// Which samples of a grid a query wants: those of the coarser levels that lie in a box.
#pragma once

#include "esker/box.hpp"
#include "esker/lattice.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Whether the index ranges of `box` lie in those of `grid`, also where a range is empty. Both have as many axes.
bool spans_within(const Box& box, const Box& grid);

/// The part of `box` in the grid's box, of as many axes; corners anywhere, so that nothing overflows later.
Box clip(const Box& box, const Box& grid);

/// The samples of levels <= `level` in `box`, which lies in the grid. Anchored at index 0 of the grid.
Lattice select_samples(const Bitmask& mask, const Box& box, int level);

/// The samples in `box`, which lies in the grid, whose index is a multiple of `stride` on each axis.
Lattice select_every(const Box& box, const Point& stride);

/// The coarsest level whose samples, with those of the levels below, include those of `wanted`.
int coarsest_level_with(const Bitmask& mask, const Lattice& wanted);

}  // namespace esker
