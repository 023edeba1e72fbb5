#include "dome.h"

#include <cmath>

#include "rheology.h"

namespace pism {

double Dome::thickness(double r) const {
  static_assert(kGlen == 3, "the powers below");
  if (r >= radius) return 0;
  const double power = kind == DomeKind::kHalfar ? 3.0 / 7.0 : 3.0 / 8.0;  // n / (2n + 1), n / (2n + 2)
  return height * std::pow(1.0 - std::pow(r / radius, 4.0 / 3.0), power);
}

double vialov_height(double radius, double balance, double softness) {
  // The flux 2 A (rho g)^n / (n + 2) H^(n+2) |H'|^n equals balance r / 2; integrated over r.
  const double gamma = sia_diffusivity(softness, 1.0, 1.0);
  return std::pow(2.0, 3.0 / 8.0) * std::pow(balance / (2.0 * gamma), 1.0 / 8.0) * std::sqrt(radius);
}

double distance_from_centre(const Grid& grid, Index i, Index j) {
  const double x = grid.x[grid.xs + i] - 0.5 * (grid.x.front() + grid.x.back());
  const double y = grid.y[grid.ys + j] - 0.5 * (grid.y.front() + grid.y.back());
  return std::sqrt(x * x + y * y);
}

void fill_dome(const Grid& grid, const Dome& dome, State& state) {
  for_own(grid, [&](Index i, Index j) {
    state.topg(i, j) = 0;
    state.thk(i, j) = dome.thickness(distance_from_centre(grid, i, j));
  });
}

}  // namespace pism
