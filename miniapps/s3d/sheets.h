// Sheets: how much of the domain is hot, and how unevenly this is spread over the ranks.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "array.h"
#include "bricks.h"

namespace s3d {

/// The same on all ranks.
struct Sheets {
  double coldest = 0, hottest = 0;  ///< K
  double hot = 0;                   ///< fraction of all cells
  double least = 0, most = 0;       ///< of such fractions of the ranks
};

/// Collective: cells with T >= `threshold` [K].
Sheets find_sheets(MPI_Comm comm, const Array& scalars, double threshold);

/// Collective: a checksum of all own values, the same for any number of ranks.
std::uint64_t checksum(MPI_Comm comm, const Bricks& bricks, const Array& scalars);

}  // namespace s3d
