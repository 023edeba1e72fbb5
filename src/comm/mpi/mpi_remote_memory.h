// The MPI body of RemoteMemory: a window of MPI's.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/remote_memory.h"

namespace esker {

/// On `comm`, which outlives it. Local; may throw.
std::unique_ptr<RemoteMemory> mpi_remote_memory(MPI_Comm comm);

}  // namespace esker
