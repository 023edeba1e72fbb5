#include "halo.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace pism {
namespace {

int narrow(Index n) {
  if (n > std::numeric_limits<int>::max()) throw std::length_error("halo message of more than 2^31 values");
  return static_cast<int>(n);
}

/// The rank `step` parts along `axis` from `rank`, or MPI_PROC_NULL beyond the edge.
int neighbour(const esker::BrickDecomposition& parts, int rank, int axis, int step) {
  const Index n_x = parts.num_parts(0);
  const Index along = axis == 0 ? rank % n_x : rank / n_x;
  const Index target = along + step;
  if (target < 0 || target >= parts.num_parts(axis)) return MPI_PROC_NULL;
  return rank + step * static_cast<int>(axis == 0 ? 1 : n_x);
}

/// Sends `send` to one side while `receive` arrives from the other.
void shift(MPI_Comm comm, MPI_Datatype type, const double* send, int to, double* receive, int from) {
  MPI_Sendrecv(send, 1, type, to, 0, receive, 1, type, from, 0, comm, MPI_STATUS_IGNORE);
}

}  // namespace

Halo::Halo(MPI_Comm comm, const esker::BrickDecomposition& parts) : comm_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  west_ = neighbour(parts, rank, 0, -1);
  east_ = neighbour(parts, rank, 0, +1);
  south_ = neighbour(parts, rank, 1, -1);
  north_ = neighbour(parts, rank, 1, +1);
}

void Halo::exchange(Array<double>& array, const Grid& grid) const {
  exchange_x(array, grid);
  exchange_y(array, grid);
}

void Halo::exchange_x(Array<double>& array, const Grid& grid) const {
  MPI_Datatype columns;  // one column of each own row
  MPI_Type_vector(narrow(grid.ym), narrow(array.levels()), narrow(array.stride_y()), MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  shift(comm_, columns, array.column(0, 0), west_, array.column(grid.xm, 0), east_);
  shift(comm_, columns, array.column(grid.xm - 1, 0), east_, array.column(-1, 0), west_);
  MPI_Type_free(&columns);
  for (Index j = 0; j < grid.ym; ++j) {
    if (west_ == MPI_PROC_NULL) std::copy_n(array.column(0, j), array.levels(), array.column(-1, j));
    if (east_ == MPI_PROC_NULL)
      std::copy_n(array.column(grid.xm - 1, j), array.levels(), array.column(grid.xm, j));
  }
}

void Halo::exchange_y(Array<double>& array, const Grid& grid) const {
  MPI_Datatype row;  // a row with its ghosts is contiguous
  MPI_Type_contiguous(narrow(array.stride_y()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  shift(comm_, row, array.column(-1, 0), south_, array.column(-1, grid.ym), north_);
  shift(comm_, row, array.column(-1, grid.ym - 1), north_, array.column(-1, -1), south_);
  MPI_Type_free(&row);
  if (south_ == MPI_PROC_NULL) std::copy_n(array.column(-1, 0), array.stride_y(), array.column(-1, -1));
  if (north_ == MPI_PROC_NULL) {
    std::copy_n(array.column(-1, grid.ym - 1), array.stride_y(), array.column(-1, grid.ym));
  }
}

}  // namespace pism
