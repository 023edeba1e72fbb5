// Halo: fills ghost columns from the ranks that own them.
#pragma once

#include <mpi.h>

#include "array.h"
#include "esker/types/decomposition.hpp"

namespace pism {

class Halo {
 public:
  /// Local. `parts` splits the x-y plane, one part per rank of `comm`, none of them empty.
  Halo(MPI_Comm comm, const esker::BrickDecomposition& parts);

  /// Collective. First along x, then along y with the ghosts of the x sweep, so that corners arrive
  /// too. Ghosts outside the grid repeat the nearest own column: the gradient across the edge of the
  /// grid is zero, and so is every diffusive flux.
  void exchange(Array<double>& array, const Grid& grid) const;

 private:
  void exchange_x(Array<double>& array, const Grid& grid) const;
  void exchange_y(Array<double>& array, const Grid& grid) const;

  MPI_Comm comm_;
  int west_, east_, south_, north_;  ///< ranks, or MPI_PROC_NULL at the edge of the grid
};

}  // namespace pism
