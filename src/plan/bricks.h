// Bricks: boxes of a layout's domain, one per aggregator.
#pragma once

#include <vector>

#include "esker/types/decomposition.hpp"
#include "plan/piece_space.h"
#include "plan/relays.h"

namespace esker {

/// `n` bricks of each layout, shaped like the boxes that the ranks hold of it. Local, pure.
std::vector<BrickDecomposition> bricks_of_layouts(const PieceSpace& space,
                                                  const std::vector<FieldPatches>& fields, int n);

}  // namespace esker
