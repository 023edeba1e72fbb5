// The blocks that rules keep, and the number of primary samples in them: for a step that is written, of the
// samples of one rank; for a step that is planned, of the whole grid, without ranks and samples.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "adaptive/level_map.h"
#include "adaptive/mark_blocks.h"
#include "esker/types/keep.hpp"

namespace esker {

/// Blocks with primary samples, and the number of these.
struct MarkedBlocks {
  BlockRuns runs;
  Index num_primary = 0;
};

/// The distance by which the region of a rule grows. A region that grows by the longest extent is the grid.
Index dilation_of(const KeepRule& rule, const Box& grid);

/// Adds the boxes of a rule, grown and within the grid, to `rules`.
void add_boxes(const KeepRule& rule, const BlockGrid& blocks, LevelRules& rules);

/// What `rules`, and `of_others`, keep of the samples of `regions`: disjoint boxes of the grid. In each of
/// `grids`, which divide the same grid into blocks of different sizes. The blocks of rules.everywhere are not
/// among the runs, see add_everywhere(); its samples are counted. If no rule looks at samples, time and
/// memory follow the blocks and the boxes; otherwise time follows the samples of the regions. `pulse`, unless
/// empty, is called often, and may throw to end the counting.
std::vector<MarkedBlocks> count_primary(std::span<const BlockGrid> grids, const LevelRules& rules,
                                        const std::vector<LevelPatch>& of_others,
                                        std::span<const Box> regions,
                                        const std::function<void()>& pulse = {});

/// Adds the blocks that are kept everywhere: all up to that level, and at least block 0. kNotKept: none.
void add_everywhere(const BlockGrid& blocks, KeptLevel everywhere, BlockRuns& runs);

}  // namespace esker
