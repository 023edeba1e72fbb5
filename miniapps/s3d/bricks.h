// Bricks: the Cartesian grid, and the brick of it that this rank owns.
//
// Cells have equal sizes; values are at their centers. x is the direction of the jet, y crosses its shear
// layers, z is periodic.
#pragma once

#include <mpi.h>

#include <array>

#include "esker/types/box.hpp"

namespace s3d {

using esker::Index;

/// Extent of the domain along x, y, z: 12, 9 and 6 widths of the jet, m. y = 0 is the center plane.
inline constexpr std::array<double, 3> kLengths{24e-3, 18e-3, 12e-3};

/// Layers around a brick that the transport reads: two for limited slopes on both sides of a face.
inline constexpr Index kGhosts = 2;

struct Bricks {
  std::array<Index, 3> cells{};                  ///< of the whole grid
  std::array<double, 3> spacing{};               ///< m
  esker::Box own;                                ///< cells of this rank, half open
  std::array<int, 3> parts{};                    ///< bricks along each axis
  std::array<std::array<int, 2>, 3> neighbor{};  ///< [axis][0 below, 1 above]; MPI_PROC_NULL at the boundary

  /// Coordinate of the lower face of cell `i`, counted in the whole grid, m.
  [[nodiscard]] double face(int axis, Index i) const {
    return (axis == 1 ? -0.5 * kLengths[1] : 0.0) + static_cast<double>(i) * spacing[axis];
  }
  /// Coordinate of its center.
  [[nodiscard]] double center(int axis, Index i) const { return face(axis, i) + 0.5 * spacing[axis]; }
};

/// Local: the brick of `rank` of `n_ranks`, as nearly cubic as possible. Throws std::invalid_argument if some
/// rank would have fewer than kGhosts cells along an axis.
Bricks make_bricks(const std::array<Index, 3>& cells, int rank, int n_ranks);

}  // namespace s3d
