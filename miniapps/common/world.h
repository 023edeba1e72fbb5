// World: a communicator with the rank and the number of ranks.
#pragma once

#include <mpi.h>

namespace miniapp {

struct World {
  explicit World(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  MPI_Comm comm;
  int rank = 0, size = 1;
};

}  // namespace miniapp
