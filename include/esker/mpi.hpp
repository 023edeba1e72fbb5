// Esker with MPI: link esker::esker_mpi in addition to esker::esker.
#pragma once

#include <mpi.h>

#include "esker/communicator.hpp"
#include "esker/types/export.h"

namespace esker {

/// Collective over `comm`. The communicator is duplicated, so that Esker's messages do not mix with the
/// caller's. MPI must be initialized (MPI_THREAD_FUNNELED suffices), and all calls must come from the thread
/// that initialized it. The duplicate is freed with the last handle, which must happen before MPI_Finalize.
ESKER_API Communicator mpi_communicator(MPI_Comm comm);

}  // namespace esker
