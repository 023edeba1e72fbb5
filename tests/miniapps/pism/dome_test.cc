#include "dome.h"

#include <gtest/gtest.h>

#include <cmath>

#include "halfar.h"
#include "rheology.h"

namespace pism {
namespace {

double gamma(double softness) { return sia_diffusivity(softness, 1.0, 1.0); }

/// Flux [m^2 a^-1] outwards at `r`: Gamma H^5 |H'|^3.
double flux(const Dome& dome, double softness, double r) {
  constexpr double kStep = 1.0;
  const double slope = (dome.thickness(r + kStep) - dome.thickness(r - kStep)) / (2 * kStep);
  return -gamma(softness) * std::pow(dome.thickness(r), 5) * slope * slope * slope;
}

/// Integral of H r dr from 0 to `r` by the midpoint rule.
double volume_within(const Dome& dome, double r) {
  constexpr int kParts = 20000;
  double sum = 0;
  for (int n = 0; n < kParts; ++n) {
    const double at = (n + 0.5) * r / kParts;
    sum += dome.thickness(at) * at * r / kParts;
  }
  return sum;
}

TEST(Dome, HalfarOfTestBIsAsOldAsPublished) {
  EXPECT_NEAR(Halfar{}.initial_age(), 422.45, 0.01);  // Bueler et al. (2005)
}

TEST(Dome, HalfarLosesTheIceThatFlowsOut) {
  // Independent of the model: the ice within r shrinks by the flux through r.
  const Halfar halfar;
  for (const double years : {0.0, 1000.0, 25000.0}) {
    for (const double part : {0.2, 0.5, 0.9}) {
      const Dome now = halfar.at(years);
      const double r = part * now.radius, dt = 1e-3 * (halfar.initial_age() + years);
      const double change =
          (volume_within(halfar.at(years + dt), r) - volume_within(halfar.at(years), r)) / dt;
      EXPECT_NEAR(-change / (r * flux(halfar.at(years + dt / 2), halfar.softness, r)), 1.0, 1e-4)
          << years << " " << part;
    }
  }
}

TEST(Dome, VialovIsSteady) {
  // The ice that falls within r flows out through r.
  const double balance = 0.1, softness = 1e-16, radius = 2e6;
  const Dome dome{DomeKind::kVialov, vialov_height(radius, balance, softness), radius};
  EXPECT_GT(dome.height, 4000);
  EXPECT_LT(dome.height, 5000);
  for (const double part : {0.1, 0.5, 0.9}) {
    const double r = part * radius;
    EXPECT_NEAR(flux(dome, softness, r) / (balance * r / 2), 1.0, 1e-6) << part;
  }
}

TEST(Dome, FillsItsPartAroundTheCentreOfTheGrid) {
  const auto x = regular_axis(11, 5e6, 1e5), y = regular_axis(21, -3e6, 1e5);
  const Grid grid = with_own_part(make_grid(x, y, 2, 4000), esker::Box{{2, 3}, {9, 18}});
  State state(grid);
  state.topg.fill(7);
  const Dome dome{DomeKind::kHalfar, 3000, 450e3};
  fill_dome(grid, dome, state);
  EXPECT_EQ(state.thk(5 - 2, 10 - 3), 3000);
  EXPECT_EQ(state.thk(5 - 2, 13 - 3), dome.thickness(3e5));
  EXPECT_EQ(state.thk(2 - 2, 10 - 3), state.thk(8 - 2, 10 - 3));
  EXPECT_EQ(state.thk(5 - 2, 15 - 3), 0);
  EXPECT_EQ(state.topg(0, 0), 0);
}

}  // namespace
}  // namespace pism
