#include "halfar.h"

#include <algorithm>
#include <cmath>

#include "reduce.h"
#include "rheology.h"

namespace pism {

double Halfar::initial_age() const {
  static_assert(kGlen == 3, "the powers below");
  constexpr double kBeta = 1.0 / 18.0;                       // 1 / (5n + 3)
  const double gamma = sia_diffusivity(softness, 1.0, 1.0);  // 2 A (rho g)^n / (n + 2)
  const double aspect = std::pow(initial.radius / initial.height, 4);
  return kBeta / gamma * std::pow(7.0 / 4.0, 3) * aspect / std::pow(initial.height, 3);
}

Dome Halfar::at(double years) const {
  const double age = 1.0 + years / initial_age();
  Dome dome = initial;
  dome.height *= std::pow(age, -1.0 / 9.0);
  dome.radius *= std::pow(age, 1.0 / 18.0);
  return dome;
}

ThicknessError thickness_error(MPI_Comm comm, const Grid& grid, const Array<double>& thk, const Dome& exact) {
  Array<double> error(grid), icy(grid);
  ThicknessError own;
  const double near = 0.75 * std::hypot(grid.dx, grid.dy);  // the centre may lie between nodes
  for_own(grid, [&](Index i, Index j) {
    const double r = distance_from_centre(grid, i, j), expected = exact.thickness(r);
    error(i, j) = std::abs(thk(i, j) - expected);
    icy(i, j) = thk(i, j) > 0 || expected > 0 ? 1 : 0;
    own.max = std::max(own.max, error(i, j));
    if (r < near) own.centre = std::max(own.centre, error(i, j));
  });
  const double nodes = reproducible_sum(comm, grid, icy);
  return {max_over_ranks(comm, own.max), reproducible_sum(comm, grid, error) / std::max(nodes, 1.0),
          max_over_ranks(comm, own.centre)};
}

}  // namespace pism
