// The runs that a command line asks for, from start to end.
#pragma once

#include <mpi.h>

#include "settings.h"

namespace gcrm {

/// Collective: a run for each output interval, and the report. Throws AgreedError on all ranks.
void run(MPI_Comm comm, const Settings& settings);

}  // namespace gcrm
