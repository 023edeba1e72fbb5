// Restart: the state of a run from the last step of a checkpoint, bit for bit, on any number of ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

#include "solver.h"

namespace s3d {

/// The cells of a checkpoint's grid along x, y, z. Collective; throws AgreedError.
std::array<Index, 3> checkpoint_cells(MPI_Comm comm, const std::string& path);

/// Collective; throws AgreedError. The checkpoint is in any format of Esker, on the grid of `bricks`.
void restart(MPI_Comm comm, const std::string& path, const Bricks& bricks, Solver& solver);

}  // namespace s3d
