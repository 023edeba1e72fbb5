// Run: writes the steps in each mode, reads them back, and prints what each mode cost.
#pragma once

#include <mpi.h>

#include "settings.h"

namespace uintah {

/// Collective. Throws AgreedError on all ranks; any other exception occurs on one rank only.
void run(MPI_Comm comm, const Settings& settings);

}  // namespace uintah
