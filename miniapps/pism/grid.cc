#include "grid.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace pism {
namespace {

double spacing(const std::vector<double>& axis, const char* name) {
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

}  // namespace

Index Grid::top_level(double thk) const { return std::min(static_cast<Index>(thk / dz), Mz - 1); }

esker::Box Grid::own_map() const { return {{xs, ys}, {xs + xm, ys + ym}}; }

esker::Box Grid::own_volume() const { return {{xs, ys, 0}, {xs + xm, ys + ym, Mz}}; }

Grid make_grid(std::vector<double> x, std::vector<double> y, Index levels, double height) {
  if (levels < 2 || !(height > 0))
    throw std::invalid_argument("the ice needs two levels and a positive height");
  Grid grid;
  grid.dx = spacing(x, "x");
  grid.dy = spacing(y, "y");
  grid.dz = height / static_cast<double>(levels - 1);
  grid.x = std::move(x);
  grid.y = std::move(y);
  grid.z.resize(levels);
  for (Index k = 0; k < levels; ++k) grid.z[k] = static_cast<double>(k) * grid.dz;
  grid.Mx = grid.xm = static_cast<Index>(grid.x.size());
  grid.My = grid.ym = static_cast<Index>(grid.y.size());
  grid.Mz = levels;
  return grid;
}

Grid with_own_part(Grid grid, const esker::Box& own) {
  if (own.empty()) throw std::invalid_argument("a rank without columns: use fewer ranks");
  grid.xs = own.lo[0];
  grid.ys = own.lo[1];
  grid.xm = own.extent(0);
  grid.ym = own.extent(1);
  return grid;
}

}  // namespace pism
