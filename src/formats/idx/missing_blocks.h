// What samples are like whose block the dataset does not hold, for who would rather see something.
#pragma once

#include <vector>

#include "grid/blocks.h"
#include "read/read_target.h"

namespace esker::idx {

/// Gives the samples of `missing` blocks in `target`, all samples of a level, the value of the nearest
/// coarser sample: of two that are as near, the one of the lower index, if it is in the target. In order of
/// levels, so that a value spreads over any number of them. What no coarser sample is beside stays as it is.
/// `sample_bytes` of each sample of the target are meant.
void fill_from_coarser(const BlockGrid& blocks, std::vector<Index> missing, Index sample_bytes,
                       const ReadTarget& target);

}  // namespace esker::idx
