// The opening of a collective call that takes a path and options.
#pragma once

#include <string>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Waits for all ranks, which must be in `operation` with the same `path`, and returns rank 0's options on
/// all. `local`: the status of this rank. Collective; errors are those of all ranks: options that a rank
/// could not load, kMismatchedCall.
Result<Options> open_together(Comm& comm, const char* operation, const std::string& path,
                              const Result<Options>& options, const Status& local);

}  // namespace esker
