// How models split a grid over ranks: the decompositions of the codes that Esker serves.
//
// All are pure values, the same on every rank; none keeps one box per rank.
#pragma once

#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// A Cartesian split of [0, extent): cut positions per axis, ranks numbered with x fastest.
/// Parts may be empty (two equal cuts) when an axis has fewer points than parts.
class ESKER_API BrickDecomposition {
 public:
  /// `cuts[a]` are the ascending boundaries on axis a: first 0, last extent[a], parts + 1 of them.
  static Result<BrickDecomposition> from_cuts(std::vector<std::vector<Index>> cuts);

  /// `parts[a]` parts on axis a, whose sizes differ by at most one point, larger parts first.
  static Result<BrickDecomposition> even(int rank, const Point& extent, const Point& parts);

  /// PISM's and PETSc's split of the x-y plane over `n_ranks` (axes beyond 1 stay whole): r x c as
  /// square as the number of ranks allows, weighted by the grid's aspect. Source: PISM `compute_nprocs`,
  /// `ownership_ranges`. Where PISM's rule leaves parts without points (PISM then stops), the split that
  /// leaves fewest is taken. One axis: even parts.
  static Result<BrickDecomposition> pism(int rank, const Point& extent, int n_ranks);

  /// Bricks of as nearly cubic shape as `n_ranks` allows (MPI_Dims_create's idea, aspect aware): of all
  /// splits that leave fewest parts without points, the one with the least cut area; of equals the one
  /// with fewer cuts on the faster axes. Cost: the number of ways to factor `n_ranks` over the axes.
  static Result<BrickDecomposition> near_cubic(int rank, const Point& extent, int n_ranks);

  /// Number of axes.
  [[nodiscard]] int rank() const { return static_cast<int>(cuts_.size()); }
  /// In all, and along one axis.
  [[nodiscard]] Index num_parts() const;
  [[nodiscard]] Index num_parts(int axis) const { return static_cast<Index>(cuts_[axis].size()) - 1; }
  /// The boundaries on one axis: num_parts(axis) + 1 of them, ascending.
  [[nodiscard]] const std::vector<Index>& cuts(int axis) const { return cuts_[axis]; }
  /// The box of part `part` in [0, num_parts()); x part fastest.
  [[nodiscard]] Box box(Index part) const;
  /// The number of the part with these part coordinates, one per axis; box() takes it.
  [[nodiscard]] Index number_of(const Point& part) const;
  /// The part that holds `p`; `p` lies in the grid. O(log parts) per axis.
  [[nodiscard]] Index part_of(const Point& p) const;
  /// The parts that meet `box`, as a box of part coordinates (x first); empty if none. Parts without
  /// points that stand between others are inside it, too.
  [[nodiscard]] Box parts_meeting(const Box& box) const;

 private:
  [[nodiscard]] Index part_on_axis(int axis, Index coordinate) const;

  std::vector<std::vector<Index>> cuts_;
};

}  // namespace esker
