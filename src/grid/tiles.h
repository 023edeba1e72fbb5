// Tiles: parts of a grid that hold all samples of a few levels, up to some level, next to each other.
#pragma once

#include <functional>

#include "esker/types/box.hpp"
#include "grid/bitmask.h"

namespace esker {

/// Calls visit(part) for the parts of `box` in the tiles of 2^digits samples of levels <= `level`: the boxes
/// that have the same path through the last `digits` bisections up to this level.
void for_each_tile(const Bitmask& mask, const Box& box, int level, int digits,
                   const std::function<void(const Box&)>& visit);

/// The extents of these tiles.
Point tile_extent(const Bitmask& mask, int level, int digits);

/// Calls visit(part) for the parts of `box` between multiples of `extent` on each axis.
void for_each_part(const Box& box, const Point& extent, const std::function<void(const Box&)>& visit);

}  // namespace esker
