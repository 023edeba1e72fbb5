// Grid: the model's points and the part of them that this rank owns.
//
// Nodes are regular in x and y; levels are heights above the bed, equally spaced or finer towards the bed.
// Names as in PISM's IceGrid: Mx, My, Mz points in all, the own part starts at (xs, ys) and has xm x ym
// columns.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace pism {

using esker::Index;

/// How the levels share the height. Quadratic is PISM's default: the spacing grows linearly, from a quarter
/// of the equal one at the bed to seven quarters at the top.
enum class ZSpacing { kEqual, kQuadratic };

struct Grid {
  Index Mx = 0, My = 0, Mz = 0;
  double dx = 0, dy = 0;        ///< spacings, m
  std::vector<double> x, y, z;  ///< coordinates of all points, m; z is the height above the bed
  std::vector<double> dz;       ///< dz[k] from level k to k + 1, m; Mz - 1 values
  Index xs = 0, ys = 0;         ///< first own column
  Index xm = 0, ym = 0;         ///< own columns along x and y, at least one each

  /// Highest level that lies in ice of thickness `thk` [m]; 0 for no ice. O(log Mz).
  [[nodiscard]] Index top_level(double thk) const;
  /// The own part, half open, x first: in the x-y plane, and with all levels.
  [[nodiscard]] esker::Box own_map() const;
  [[nodiscard]] esker::Box own_volume() const;
};

/// The whole grid with regular axes `x`, `y` [m] (two points or more each) and `levels` >= 2 heights
/// from 0 to `height` m, owned by one rank. Throws std::invalid_argument if an axis is not regular.
Grid make_grid(std::vector<double> x, std::vector<double> y, Index levels, double height,
               ZSpacing z_spacing = ZSpacing::kEqual);

/// `n` coordinates [m] from `first` on, `spacing` m apart.
std::vector<double> regular_axis(Index n, double first, double spacing);

/// The spacing [m] of an ascending, regular axis of two points or more. Throws std::invalid_argument, which
/// names the axis, for any other.
double axis_spacing(const std::vector<double>& axis, const char* name);

/// The same grid with `own` (rank 2, not empty) as the own part.
Grid with_own_part(Grid grid, const esker::Box& own);

/// Calls f(i, j) for each own column; i and j count from 0 in the own part.
template <class F>
void for_own(const Grid& grid, F&& f) {
  for (Index j = 0; j < grid.ym; ++j) {
    for (Index i = 0; i < grid.xm; ++i) f(i, j);
  }
}

}  // namespace pism
