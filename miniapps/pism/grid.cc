#include "grid.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace pism {

double axis_spacing(const std::vector<double>& axis, const char* name) {
  if (axis.size() < 2) throw std::invalid_argument(std::string("axis ") + name + " needs two points or more");
  const double step = (axis.back() - axis.front()) / static_cast<double>(axis.size() - 1);
  for (std::size_t i = 0; i + 1 < axis.size(); ++i) {
    if (!(std::abs(axis[i + 1] - axis[i] - step) <= 1e-6 * step)) {
      throw std::invalid_argument(std::string("axis ") + name +
                                  " is not ascending with equal spacing at point " + std::to_string(i));
    }
  }
  return step;
}

std::vector<double> regular_axis(Index n, double first, double spacing) {
  std::vector<double> axis(n);
  for (Index i = 0; i < n; ++i) axis[i] = first + static_cast<double>(i) * spacing;
  return axis;
}

namespace {

void set_equal_levels(Grid& grid, double height) {
  const double dz = height / static_cast<double>(grid.Mz - 1);
  grid.z = regular_axis(grid.Mz, 0, dz);
  grid.dz.assign(grid.Mz - 1, dz);  // not differences of z, which are off by their rounding
}

/// z = H zeta (1 + (lambda - 1) zeta) / lambda for zeta in [0, 1]. Source: PISM's compute_vertical_levels.
void set_quadratic_levels(Grid& grid, double height) {
  constexpr double kLambda = 4.0;  // how much finer than equal spacing at the bed; PISM's default
  grid.z.resize(grid.Mz);
  for (Index k = 0; k < grid.Mz; ++k) {
    const double zeta = static_cast<double>(k) / static_cast<double>(grid.Mz - 1);
    grid.z[k] = height * (zeta / kLambda) * (1.0 + (kLambda - 1.0) * zeta);
  }
  grid.dz.resize(grid.Mz - 1);
  for (Index k = 0; k + 1 < grid.Mz; ++k) grid.dz[k] = grid.z[k + 1] - grid.z[k];
}

}  // namespace

Index Grid::top_level(double thk) const {
  const auto above = std::upper_bound(z.begin(), z.end(), thk);
  return std::max<Index>(above - z.begin() - 1, 0);
}

esker::Box Grid::own_map() const { return {{xs, ys}, {xs + xm, ys + ym}}; }

esker::Box Grid::own_volume() const { return {{xs, ys, 0}, {xs + xm, ys + ym, Mz}}; }

Grid make_grid(std::vector<double> x, std::vector<double> y, Index levels, double height,
               ZSpacing z_spacing) {
  if (levels < 2 || !(height > 0))
    throw std::invalid_argument("the ice needs two levels and a positive height");
  Grid grid;
  grid.dx = axis_spacing(x, "x");
  grid.dy = axis_spacing(y, "y");
  grid.x = std::move(x);
  grid.y = std::move(y);
  grid.Mx = grid.xm = static_cast<Index>(grid.x.size());
  grid.My = grid.ym = static_cast<Index>(grid.y.size());
  grid.Mz = levels;
  if (z_spacing == ZSpacing::kEqual) {
    set_equal_levels(grid, height);
  } else {
    set_quadratic_levels(grid, height);
  }
  return grid;
}

Grid with_own_part(Grid grid, const esker::Box& own) {
  if (own.empty()) throw std::invalid_argument("a rank has no columns: use fewer ranks");
  grid.xs = own.lo[0];
  grid.ys = own.lo[1];
  grid.xm = own.extent(0);
  grid.ym = own.extent(1);
  return grid;
}

}  // namespace pism
