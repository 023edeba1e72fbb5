// The blocks that a box needs, as runs.
#pragma once

#include <utility>

#include "grid/block_set.h"

namespace esker::testing_support {

/// The existing blocks that hold a sample of `box`.
inline BlockRuns blocks_meeting(const BlockGrid& grid, const Box& box) {
  BlockRuns runs;
  for (int level = grid.bits_per_block(); level <= grid.mask().max_level(); ++level) {
    grid.for_each_block_meeting(box, level, [&](Index block) {
      const Index ordinal = grid.num_existing_before(block);
      runs.push_back({ordinal, ordinal + 1});
    });
  }
  return normalized(std::move(runs));
}

}  // namespace esker::testing_support
