// Boxes of a partition: the boxes of a grid that a run of tiles along the Z curve has.
//
//   const TileCut cut = cut_into_partitions(mask, grid, n_partitions);
//   for (const Brick& brick : bricks_of_partition(cut, 2)) ... brick.box ...
//
// A partition that is one brick of the mask has one box. Any other run of tiles is divided into the fewest
// bricks: of those that have no samples of other partitions, the largest. Tiles outside the grid belong to
// every run. A brick of d digits begins at multiples of its extents, which are powers of two. So the samples
// of any level of the grid that are in a brick are those of a level of the brick, or its first sample, or
// none.
//
// IDX with partition_index=local stores each of these boxes separately. Pure, the same on every rank.
#pragma once

#include <vector>

#include "esker/types/box.hpp"
#include "grid/bitmask.h"
#include "grid/tile_cut.h"

namespace esker {

/// Tile number `number` of the first `digits` digits of a mask, clipped to the grid.
struct Brick {
  int digits = 0;
  Index number = 0;
  Box box;  ///< not empty; in samples of the grid

  friend bool operator==(const Brick&, const Brick&) = default;
};

/// The cut of a grid whose partitions are stored separately: it depends on the grid, its mask and the number
/// of partitions only. Bricks have at least two places on each axis on which the grid has more than one
/// sample, so that partitions of a tiny grid may be empty.
TileCut cut_into_partitions(const Bitmask& mask, const Box& grid, int n_partitions);

/// The bricks of a partition along the Z curve; none if it is empty. Together, those of all partitions cover
/// the grid exactly once. At most 2 * cut.digits(). O(digits^2 * rank).
std::vector<Brick> bricks_of_partition(const TileCut& cut, int partition);

/// The mask of a brick in its own coordinates, which begin at 0: the digits behind those of the brick,
/// without the ones that divide nothing in its box. An axis of extent 1 has one digit, first in the mask, as
/// in Bitmask::longest_first().
Bitmask mask_of_brick(const Bitmask& mask, const Brick& brick);

}  // namespace esker
