#include "halo.h"

#include <limits>
#include <stdexcept>

namespace s3d {
namespace {

int narrow(Index n) {
  if (n > std::numeric_limits<int>::max())
    throw std::length_error("brick of more than 2^31 cells along an axis");
  return static_cast<int>(n);
}

}  // namespace

MPI_Datatype Halo::layers(const Array& array, int axis, Index first) {
  const Index ghosts = array.ghosts();
  std::array<int, 4> size{narrow(array.components()), 0, 0, 0}, part = size, start{};
  for (int a = 0; a < 3; ++a) {
    const int at = 3 - a;  // MPI counts the slowest axis first
    size[at] = narrow(array.cells(a) + 2 * ghosts);
    part[at] = narrow(a == axis ? ghosts : array.cells(a));
    start[at] = narrow(ghosts + (a == axis ? first : 0));
  }
  MPI_Datatype type;
  MPI_Type_create_subarray(4, size.data(), part.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

Halo::Halo(MPI_Comm comm, const Bricks& bricks, const Array& array)
    : comm_(comm), neighbor_(bricks.neighbor) {
  for (int a = 0; a < 3; ++a) {
    const Index n = array.cells(a), ghosts = array.ghosts();
    own_[a] = {layers(array, a, 0), layers(array, a, n - ghosts)};
    ghost_[a] = {layers(array, a, -ghosts), layers(array, a, n)};
  }
}

Halo::~Halo() {
  for (auto* types : {&own_, &ghost_}) {
    for (auto& of_axis : *types) {
      for (MPI_Datatype& type : of_axis) MPI_Type_free(&type);
    }
  }
}

void Halo::exchange(Array& array) const {
  std::array<MPI_Request, 12> requests;
  int n = 0;
  for (int a = 0; a < 3; ++a) {
    for (int side = 0; side < 2; ++side) {
      // What leaves at one side arrives at the other side of the neighbor: the tag is the sender's side.
      const int peer = neighbor_[a][side], sent = 2 * a + side, received = 2 * a + 1 - side;
      MPI_Irecv(array.values().data(), 1, ghost_[a][side], peer, received, comm_, &requests[n++]);
      MPI_Isend(array.values().data(), 1, own_[a][side], peer, sent, comm_, &requests[n++]);
    }
  }
  MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace s3d
