// Esker on MPI: link esker::esker_mpi beside esker::esker.
#pragma once

#include <mpi.h>

#include "esker/communicator.hpp"
#include "esker/export.h"

namespace esker {

/// Collective over `comm`, which is duplicated: Esker's messages never meet the caller's. MPI is
/// initialised (MPI_THREAD_FUNNELED is enough) and all calls come from the thread that initialised it.
/// The duplicate is freed with the last handle, which must happen before MPI_Finalize.
ESKER_API Communicator mpi_communicator(MPI_Comm comm);

}  // namespace esker
