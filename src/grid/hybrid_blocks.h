// Hybrid blocks: where the blocks of P equal bricks of a grid are stored among the blocks of the grid.
//
// P = 2^s; brick p is the p-th brick of the first s digits of the mask, along the Z curve. It has its own HZ
// order, by the digits behind these, and its own blocks j = 0, 1, 2 ... With l = 2^floor(log2 j), block j >=
// 1 of brick p is stored as block l P + p l + (j - l). That is the block of the global HZ order with the same
// samples. Block 0 of brick p is stored as block p. In the global order, blocks 0 ... P - 1 hold the same
// samples as these P blocks, but each holds samples of several bricks. So the global blocks follow from the
// hybrid ones by a permutation of the samples in the first P blocks.
//
// Example: 8 x 8 samples, P = 4, blocks of 4 samples. Blocks 1, 2, 3 of brick p are blocks 4 + p, 8 + 2p and
// 9 + 2p. Pure; O(1).
#pragma once

#include "esker/types/box.hpp"

namespace esker {

struct BlockOfBrick {
  Index brick = 0;
  Index block = 0;  ///< in the order of the brick

  friend bool operator==(const BlockOfBrick&, const BlockOfBrick&) = default;
};

/// `num_bricks` is a power of two; 0 <= brick < num_bricks.
Index hybrid_block(Index num_bricks, const BlockOfBrick& of);
/// The inverse.
BlockOfBrick block_of_brick(Index num_bricks, Index hybrid_block);

}  // namespace esker
