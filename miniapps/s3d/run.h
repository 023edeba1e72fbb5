// Run: solver, adaptive output and checkpoints in turn.
#pragma once

#include <mpi.h>

#include "settings.h"

namespace s3d {

/// Collective. Rank 0 prints one line of the model and one of Esker per output step. Throws AgreedError on
/// all ranks; any other exception occurs on one rank only.
void run(MPI_Comm comm, const Settings& settings);

}  // namespace s3d
