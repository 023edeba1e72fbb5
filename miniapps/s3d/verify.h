// Verify: the order at which the solver converges to a manufactured solution.
#pragma once

#include <mpi.h>

#include "mixture.h"

namespace s3d {

/// The order of the scheme, and how far the observed one may be from it.
inline constexpr double kStatedOrder = 2, kOrderTolerance = 0.2;

/// Collective: the mean absolute error of each scalar after 0.8 ms, when the stream has crossed the
/// domain, on 12 n x 9 n x 6 n cells. The same on all ranks.
Values manufactured_error(MPI_Comm comm, int n);

/// Collective: runs three resolutions. Rank 0 prints the errors and the observed orders, unless `quiet`.
/// Throws AgreedError if the order of a scalar between the two finest differs from the stated one by more
/// than the tolerance.
void verify(MPI_Comm comm, bool quiet);

}  // namespace s3d
