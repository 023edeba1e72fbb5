// Restart: the state of a run from the last step of a checkpoint, bit for bit, on any number of ranks.
#pragma once

#include <mpi.h>

#include <string>

#include "solver.h"

namespace s3d {

/// Collective; throws AgreedError. The checkpoint is in any format of Esker, on the grid of `bricks`.
void restart(MPI_Comm comm, const std::string& path, const Bricks& bricks, Solver& solver);

}  // namespace s3d
