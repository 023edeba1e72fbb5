// Replaces samples of missing blocks by values of coarser samples, for viewers.
#pragma once

#include <vector>

#include "grid/blocks.h"
#include "read/read_target.h"

namespace esker::idx {

/// Gives each sample of a `missing` block in `target`, which holds all samples of a level, the value of the
/// nearest coarser sample. If two are equally near, the one with the lower index is used, if it is in the
/// target. Levels are processed in order, so that a value spreads over any number of levels. A sample without
/// a coarser neighbor is not changed. `sample_bytes` bytes of each sample of the target are set.
void fill_from_coarser(const BlockGrid& blocks, std::vector<Index> missing, Index sample_bytes,
                       const ReadTarget& target);

}  // namespace esker::idx
