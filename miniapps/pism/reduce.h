// Reductions over ranks whose result does not depend on how many ranks there are.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "array.h"
#include "common/together.h"

namespace pism {

/// Collective: the largest of the ranks' values.
double max_over_ranks(MPI_Comm comm, double value);

/// Collective: the sum of a map over all nodes of the grid. Each value is rounded to a multiple of
/// 2^-32 and the integers are added, so that neither order nor ranks matter; the sum must stay within
/// +-2^31 (a map of thicknesses in m reaches 2^28). Rounding costs at most 2^-33 per node.
double reproducible_sum(MPI_Comm comm, const Grid& grid, const Array<double>& map);

/// Collective: a checksum of all own values, the same for any number of ranks. Each value's bits are
/// hashed with its global index (splitmix64's finaliser, Steele et al. 2014) and the hashes are added.
std::uint64_t checksum(MPI_Comm comm, const Grid& grid, const Array<double>& array);

using miniapp::agree;
using miniapp::AgreedError;
using miniapp::together;

}  // namespace pism
