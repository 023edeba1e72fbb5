// A Comm whose ranks are threads of one process: the collective code runs without MPI, on a store in memory.
//
//   run_ranks(4, [](const Communicator& comm) { ... });
#pragma once

#include <functional>

#include "comm/comm.h"

namespace esker::testing_support {

/// Runs `body` on `n_ranks` threads, each with its own rank; returns when all have. So many ranks in a row
/// are a node; 0: all.
void run_ranks(int n_ranks, const std::function<void(const Communicator&)>& body, int ranks_per_node = 0);

}  // namespace esker::testing_support
