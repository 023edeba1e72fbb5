// A Comm whose ranks are threads of one process: the collective code runs without MPI, on a store in memory.
//
//   run_ranks(4, [](const Communicator& comm) { ... });
#pragma once

#include <functional>
#include <vector>

#include "comm/comm.h"
#include "esker/communicator.hpp"

namespace esker::testing_support {

/// Runs `body` on threads, one per rank; returns when all have ended. `nodes`: the node of each rank, counted
/// from 0.
void run_ranks(const std::vector<int>& nodes, const std::function<void(const Communicator&)>& body);

/// The same for `n_ranks`, with the given number of consecutive ranks per node; 0: all.
void run_ranks(int n_ranks, const std::function<void(const Communicator&)>& body, int ranks_per_node = 0);

}  // namespace esker::testing_support
