// Case: a grid split over the ranks of a communicator.
#pragma once

#include <mpi.h>

#include "mesh.h"

namespace gcrm {

struct Case {
  Case(MPI_Comm c, int level)
      : comm(c),
        panels(level),
        pieces(panels.num_cells(), size(c)),
        border(find_border(panels, pieces, rank(c))),
        halo(c, pieces, border),
        mesh(make_mesh(panels, border, halo)) {}

  static int size(MPI_Comm c) {
    int n = 0;
    return MPI_Comm_size(c, &n), n;
  }
  static int rank(MPI_Comm c) {
    int r = 0;
    return MPI_Comm_rank(c, &r), r;
  }

  MPI_Comm comm;
  Panels panels;
  Pieces pieces;
  Border border;
  Halo halo;
  Mesh mesh;
};

}  // namespace gcrm
