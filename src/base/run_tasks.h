// run_tasks: runs independent tasks on several threads.
//
// The threads live only during the call. A library in other people's processes should not keep idle threads,
// and no thread is missing after a fork. Starting a thread costs about 20 us; callers with less work ask for
// one thread.
#pragma once

#include <functional>

#include "base/error.h"
#include "esker/types/box.hpp"

namespace esker {

/// Number of processors that this process may use, considering its affinity mask.
int num_processors();

/// Runs task number 0 ... of run_tasks; its state is private to its thread.
using Worker = std::function<Status(Index task)>;

/// Runs tasks 0 ... num_tasks - 1, in that order, on up to `threads` threads including the calling one; on
/// fewer if the system cannot start more. Texts on all threads count from the same number as on the calling
/// one. Each thread gets a separate worker from `make_worker`. After an error no further task begins; the
/// error of the first task that failed is returned, kOutOfMemory and kInternal for exceptions. `progress`, if
/// any, is called on the calling thread only, with the completed fraction, finally 1. If it returns false, no
/// further task begins and the result is kCancelled. Its exceptions propagate after all threads have ended.
Status run_tasks(Index num_tasks, int threads, const std::function<Worker()>& make_worker,
                 const std::function<bool(double)>& progress);

}  // namespace esker
