// Halo: fills the ghost layers of a brick from the ranks that own the cells.
#pragma once

#include <mpi.h>

#include <array>

#include "array.h"
#include "bricks.h"

namespace s3d {

class Halo {
 public:
  /// Local. For arrays with the shape of `array`.
  Halo(MPI_Comm comm, const Bricks& bricks, const Array& array);
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  ~Halo();

  /// Collective. All components at once, one message per side. Ghosts across edges and corners of the brick
  /// are not set, nor those beyond the boundary of the domain.
  void exchange(Array& array) const;

 private:
  /// Cells [first, first + kGhosts) along `axis`, all own cells along the others.
  static MPI_Datatype layers(const Array& array, int axis, Index first);

  MPI_Comm comm_;
  std::array<std::array<int, 2>, 3> neighbor_;
  std::array<std::array<MPI_Datatype, 2>, 3> own_{}, ghost_{};  ///< [axis][0 low end, 1 high end]
};

}  // namespace s3d
