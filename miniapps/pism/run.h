// Run: model, output and verification in turn.
#pragma once

#include <mpi.h>

#include "settings.h"

namespace pism {

/// Collective. Rank 0 prints one line of the model and one of Esker per step, at the end the report. Throws
/// AgreedError on all ranks; any other exception occurs on one rank only.
void run(MPI_Comm comm, const Settings& settings);

}  // namespace pism
