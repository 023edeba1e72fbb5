// run_tasks: pieces of work that do not depend on each other, by several threads.
//
// The threads live as long as the call: a library in other people's processes keeps none idle, and a fork
// finds none missing. Starting one costs some 20 us; callers with less to do ask for one thread.
#pragma once

#include <functional>

#include "base/error.h"
#include "esker/box.hpp"

namespace esker {

/// Processors that this process may use: those that it is bound to, if it is.
int num_processors();

/// Does task number 0 ... of run_tasks; what it keeps between tasks is its thread's alone.
using Worker = std::function<Status(Index task)>;

/// Carries out tasks 0 ... num_tasks - 1, in that order, as many at once as `threads`, the calling one among
/// them; fewer if the system gives no more. All number things in texts as the calling one does. Each thread
/// has a worker of its own from `make_worker`. After an error no further task begins; the error of the first
/// task that failed is returned, kOutOfMemory and kInternal for exceptions. `progress`, if any, is called by
/// the calling thread alone, with the fraction that is done, at last 1; where it returns false, no further
/// task begins and the result is kCancelled. What it throws passes, when all threads have ended.
Status run_tasks(Index num_tasks, int threads, const std::function<Worker()>& make_worker,
                 const std::function<bool(double)>& progress);

}  // namespace esker
