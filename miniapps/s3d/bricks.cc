#include "bricks.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "esker/types/decomposition.hpp"

namespace s3d {
namespace {

/// The brick `step` away from `part` along `axis`; z is periodic.
int neighbor_of(const esker::BrickDecomposition& bricks, esker::Point part, int axis, Index step) {
  const Index n = bricks.num_parts(axis);
  Index at = part[axis] + step;
  if (axis == 2) at = (at + n) % n;
  if (at < 0 || at >= n) return MPI_PROC_NULL;
  part[axis] = at;
  return static_cast<int>(bricks.number_of(part));
}

Index smallest_part(const esker::BrickDecomposition& bricks, int axis) {
  const auto& cuts = bricks.cuts(axis);
  Index smallest = cuts.back();
  for (std::size_t i = 1; i < cuts.size(); ++i) smallest = std::min(smallest, cuts[i] - cuts[i - 1]);
  return smallest;
}

void require_ghosts(const esker::BrickDecomposition& bricks, int n_ranks) {
  for (int axis = 0; axis < 3; ++axis) {
    if (smallest_part(bricks, axis) >= kGhosts) continue;
    throw std::invalid_argument("the grid is too small for " + std::to_string(n_ranks) +
                                " ranks: each needs at least " + std::to_string(kGhosts) + " cells along " +
                                "xyz"[axis]);
  }
}

}  // namespace

Bricks make_bricks(const std::array<Index, 3>& cells, int rank, int n_ranks) {
  const auto split =
      esker::BrickDecomposition::near_cubic(3, {cells[0], cells[1], cells[2]}, n_ranks).value();
  require_ghosts(split, n_ranks);
  Bricks bricks;
  bricks.cells = cells;
  bricks.own = split.box(rank);
  const esker::Point part{rank % split.num_parts(0), rank / split.num_parts(0) % split.num_parts(1),
                          rank / (split.num_parts(0) * split.num_parts(1))};
  for (int axis = 0; axis < 3; ++axis) {
    bricks.spacing[axis] = kLengths[axis] / static_cast<double>(cells[axis]);
    bricks.parts[axis] = static_cast<int>(split.num_parts(axis));
    bricks.neighbor[axis] = {neighbor_of(split, part, axis, -1), neighbor_of(split, part, axis, +1)};
  }
  return bricks;
}

}  // namespace s3d
