// What is inside one IDX block: its samples as one or more separable parts.
//
// Source: docs/formats/idx.md, section 5.
#pragma once

#include <vector>

#include "esker/in_block_order.hpp"
#include "esker/lattice.hpp"
#include "grid/blocks.h"
#include "grid/order.h"

namespace esker::idx {

/// A lattice of samples that stand in separable order from sample `first_sample` of the block on.
struct BlockPart {
  Lattice lattice;
  Index first_sample = 0;
  BitOrder order;
};

/// The parts of a block: one, except for block 0 in HZ order, which is one part per level.
std::vector<BlockPart> block_parts(const BlockGrid& blocks, Index block, InBlockOrder order);

}  // namespace esker::idx
