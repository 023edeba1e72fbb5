// unite_over_ranks: the union of all ranks' runs of blocks.
#pragma once

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "grid/block_set.h"

namespace esker {

/// Replaces `runs` by the union of those of all ranks. Ranks exchange what they have with partners at
/// doubling distances, so that no rank holds more than two unions at a time. Collective; errors are those of
/// all ranks (memory). Source: recursive doubling, R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
/// collective communication operations in MPICH", IJHPCA 19 (2005).
Status unite_over_ranks(Comm& comm, BlockRuns& runs);

}  // namespace esker
