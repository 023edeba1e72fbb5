// The MPI implementation of RemoteMemory: an MPI window.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/call_watch.h"
#include "comm/remote_memory.h"

namespace esker {

/// On `comm`, which must outlive it, like `watch`, which may be null. Local; may throw.
std::unique_ptr<RemoteMemory> mpi_remote_memory(MPI_Comm comm, CallWatch* watch);

}  // namespace esker
