// The contents of one IDX block: its samples as one or more separable parts.
//
// Source: docs/formats/idx.md, section 5.
#pragma once

#include <vector>

#include "esker/types/in_block_order.hpp"
#include "esker/types/lattice.hpp"
#include "grid/blocks.h"
#include "layout/layout.h"

namespace esker::idx {

/// The parts of a block: one, except for first blocks in HZ order, which are one part per level.
std::vector<PiecePart> block_parts(const BlockGrid& blocks, Index block, InBlockOrder order);

}  // namespace esker::idx
