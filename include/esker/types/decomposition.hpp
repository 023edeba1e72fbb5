// Domain decompositions: how models split a grid over ranks.
// All are pure values, the same on every rank. None of them stores one box per rank.
#pragma once

#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// A Cartesian split of [0, extent): cut positions per axis, ranks numbered with x fastest.
/// Parts may be empty (two equal cuts) when an axis has fewer points than parts.
class ESKER_API BrickDecomposition {
 public:
  /// `cuts[a]` are the ascending boundaries on axis a: first 0, last extent[a], parts + 1 of them.
  static Result<BrickDecomposition> from_cuts(std::vector<std::vector<Index>> cuts);

  /// `parts[a]` parts on axis a. Their sizes differ by at most one point; larger parts come first.
  static Result<BrickDecomposition> even(int rank, const Point& extent, const Point& parts);

  /// PISM's and PETSc's split of the x-y plane over `n_ranks` (other axes are not split): r x c as
  /// square as the number of ranks allows, weighted by the grid's aspect. Source: PISM `compute_nprocs`,
  /// `ownership_ranges`. If PISM's rule leaves parts without points (where PISM stops), the split with the
  /// fewest empty parts is taken. One axis: even parts.
  static Result<BrickDecomposition> pism(int rank, const Point& extent, int n_ranks);

  /// Bricks as nearly cubic as `n_ranks` allows (like MPI_Dims_create, but aware of the grid's aspect). Among
  /// the splits with the fewest empty parts it takes the one with the smallest cut area; among equals, the
  /// one with fewer cuts on the faster axes. Cost: the number of ways to factor `n_ranks` over the axes.
  static Result<BrickDecomposition> near_cubic(int rank, const Point& extent, int n_ranks);

  /// Number of axes.
  [[nodiscard]] int rank() const { return static_cast<int>(cuts_.size()); }
  /// Number of parts: in total, and along one axis.
  [[nodiscard]] Index num_parts() const;
  [[nodiscard]] Index num_parts(int axis) const { return static_cast<Index>(cuts_[axis].size()) - 1; }
  /// The boundaries on one axis: num_parts(axis) + 1 of them, ascending.
  [[nodiscard]] const std::vector<Index>& cuts(int axis) const { return cuts_[axis]; }
  /// The box of part `part`, 0 <= part < num_parts(). Parts are numbered with x fastest.
  [[nodiscard]] Box box(Index part) const;
  /// The number of the part with these part coordinates (one per axis), as box() takes it.
  [[nodiscard]] Index number_of(const Point& part) const;
  /// The part that contains `p`, a point of the grid. O(log parts) per axis.
  [[nodiscard]] Index part_of(const Point& p) const;
  /// The parts that intersect `box`, as a box of part coordinates (x first); empty if none. Includes empty
  /// parts that lie between others.
  [[nodiscard]] Box parts_meeting(const Box& box) const;

 private:
  [[nodiscard]] Index part_on_axis(int axis, Index coordinate) const;

  std::vector<std::vector<Index>> cuts_;
};

}  // namespace esker
