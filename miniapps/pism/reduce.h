// Reductions over ranks whose result does not depend on how many ranks there are.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "array.h"

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

/// An error that all ranks throw at the same place, so that none is left waiting.
struct AgreedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Collective: throws AgreedError if any rank's `error` is not empty, with the lowest failing rank and
/// its text. What each rank did alone is agreed here before the ranks go on.
void agree(MPI_Comm comm, const std::string& error);

/// Runs `work` on each rank and agrees on the outcome: if it throws anywhere, all ranks throw.
template <class F>
void together(MPI_Comm comm, F&& work) {
  std::string error;
  try {
    work();
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "unknown error";
  }
  agree(comm, error);
}

}  // namespace pism
