// Checks whether the ranks' parts of the fields can be chunks.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "workload.h"

namespace bench {

/// Per field the largest extents of a rank's part. Empty unless all parts begin at multiples of them, so that
/// chunks of these extents are the ranks' parts. Collective, the same on all ranks.
std::optional<std::vector<Point>> regular_extents(MPI_Comm comm, const Workload& workload);

}  // namespace bench
