// Selects the samples of a grid for a query: those of the coarser levels inside a box.
#pragma once

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Whether the index ranges of `box` are inside those of `grid`, also for empty ranges. Both have equally
/// many axes.
bool spans_within(const Box& box, const Box& grid);

/// The intersection of `box` and the grid's box, which has as many axes. Any corners are valid; clipping
/// prevents later overflow.
Box clip(const Box& box, const Box& grid);

/// The samples of levels <= `level` in `box`, which must be inside the grid. Anchored at index 0 of the grid.
Lattice select_samples(const Bitmask& mask, const Box& box, int level);

/// The samples in `box`, which must be inside the grid, whose index is a multiple of `stride` on each axis.
Lattice select_every(const Box& box, const Point& stride);

/// The coarsest level whose samples, with those of the lower levels, include those of `wanted`.
int coarsest_level_with(const Bitmask& mask, const Lattice& wanted);

/// The number of the finest levels without which all samples at multiples of `ratio`, powers of two, are
/// left.
int levels_below(const Bitmask& mask, const Point& ratio);

}  // namespace esker
