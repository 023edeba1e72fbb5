// Restart: the state of a run from a dataset that esker-pism wrote with --precision f8, bit for bit, on any
// number of ranks, in any format of Esker.
#pragma once

#include <mpi.h>

#include <string>

#include "model.h"
#include "output.h"

namespace pism {

/// The whole grid of the dataset, owned by one rank. Local. Throws std::runtime_error that names the dataset,
/// for levels that are spaced neither equally nor quadratically, too.
Grid grid_of_dataset(const std::string& path);

/// Title and projection of the dataset. Local. Throws as above.
Description description_of_dataset(const std::string& path);

/// Sets topg, thk, temp and time of the own columns to those of the last step. Collective; throws
/// AgreedError.
void read_state(MPI_Comm comm, const std::string& path, const Grid& grid, State& state);

}  // namespace pism
