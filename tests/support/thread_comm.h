// A Comm whose ranks are threads of one process: the collective code runs without MPI, on a store in memory.
//
//   run_ranks(4, [](const Communicator& comm) { ... });
#pragma once

#include <functional>

#include "comm/comm.h"

namespace esker::testing_support {

/// Runs `body` on `n_ranks` threads, each with its own rank; returns when all have.
void run_ranks(int n_ranks, const std::function<void(const Communicator&)>& body);

}  // namespace esker::testing_support
