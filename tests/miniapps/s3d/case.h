// The bricks of a communicator, for tests.
#pragma once

#include <mpi.h>

#include "bricks.h"
#include "common/world.h"

namespace s3d {

inline Bricks bricks_of(MPI_Comm comm, const std::array<Index, 3>& cells) {
  const miniapp::World world(comm);
  return make_bricks(cells, world.rank, world.size);
}

}  // namespace s3d
