// The model with its output, from start or from a restart to the end.
#pragma once

#include <mpi.h>

#include "settings.h"

namespace jacobi {

/// Collective. Throws AgreedError, and other exceptions on one rank alone: of the GPU between two agreements.
void run(MPI_Comm comm, const Settings& settings);

}  // namespace jacobi
