#include "flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pism {
namespace {

Grid small_grid() { return make_grid({0, 1000, 2000, 3000, 4000}, {0, 1000, 2000, 3000, 4000}, 41, 2000.0); }

/// Ice of `thk` m at 263 K on a plane bed that falls by `slope` along x, ghosts included.
State slab(const Grid& grid, double thk, double slope) {
  State state(grid);
  for (Index j = -1; j <= grid.ym; ++j) {
    for (Index i = -1; i <= grid.xm; ++i) {
      state.topg(i, j) = 5000 - slope * grid.dx * static_cast<double>(i);
      state.thk(i, j) = thk;
      state.usurf(i, j) = surface_elevation(state.topg(i, j), thk);
    }
  }
  state.temp.fill(263.0);
  state.surface_temp.fill(263.0);
  return state;
}

TEST(Flow, IsothermalColumnIsExactForAnyThickness) {
  const Grid grid = small_grid();
  const FlowLaw law;
  std::vector<double> integral(grid.Mz);
  for (const double thk : {10.0, 50.0, 333.0, 1999.0}) {
    // Temperatures that keep the distance to the melting point, so that A is one number.
    std::vector<double> temp(grid.Mz);
    for (Index k = 0; k < grid.Mz; ++k) temp[k] = pressure_melting_point(thk - grid.z[k]) - 10;
    const double a = law.rate_factor(kMeltingPoint - 10, 0);
    const ColumnFlow flow =
        integrate_column(grid, law, thk, temp.data(), kMeltingPoint - 10, integral.data());
    EXPECT_NEAR(flow.softness / a, 1.0, 1e-12) << thk;
    EXPECT_NEAR(flow.surface / (a * std::pow(thk, 4) / 4), 1.0, 1e-12) << thk;
  }
}

TEST(Flow, IsothermalColumnIsExactOnRefinedLevels) {
  const Grid grid = make_grid({0, 1000}, {0, 1000}, 21, 4000.0, ZSpacing::kQuadratic);
  const FlowLaw law{.isothermal_softness = 1e-16};
  std::vector<double> integral(grid.Mz), temp(grid.Mz, 250.0);
  for (const double thk : {10.0, 333.0, 3999.0}) {
    const ColumnFlow flow = integrate_column(grid, law, thk, temp.data(), 250.0, integral.data());
    EXPECT_NEAR(flow.softness / 1e-16, 1.0, 1e-12) << thk;
    for (Index k = 0; k <= grid.top_level(thk); ++k) {  // A (H^4 - (H - z)^4) / 4
      const double exact = 1e-16 * (std::pow(thk, 4) - std::pow(thk - grid.z[k], 4)) / 4;
      EXPECT_NEAR(integral[k], exact, 1e-12 * 1e-16 * std::pow(thk, 4)) << thk << ", level " << k;
    }
  }
}

TEST(Flow, SlabHasTheAnalyticVelocity) {
  const Grid grid = small_grid();
  const FlowLaw law{.enhancement = 1.0};
  State state = slab(grid, 1000, 0.01);
  for (Index k = 0; k < grid.Mz; ++k) {
    for_own(grid, [&](Index i, Index j) {
      state.temp.column(i, j)[k] = pressure_melting_point(1000 - grid.z[k]) - 10;
    });
  }
  state.surface_temp.fill(kMeltingPoint - 10);
  const double rate = update_flow(grid, law, state);
  // u = 2 A (rho g slope)^3 H^4 / 4, downhill.
  const double expected = 0.5 * law.rate_factor(kMeltingPoint - 10, 0) * std::pow(kIceRhoG * 0.01, 3) * 1e12;
  EXPECT_NEAR(state.velsurf_mag(2, 2) / expected, 1, 1e-9);
  EXPECT_NEAR(state.uvel.column(2, 2)[20] / expected, 1, 1e-9);  // level 20 is the surface
  EXPECT_EQ(state.uvel.column(2, 2)[0], 0);
  EXPECT_EQ(state.uvel.column(2, 2)[21], 0);
  EXPECT_EQ(state.vvel.column(2, 2)[20], 0);
  EXPECT_NEAR(rate, expected / grid.dx, 1e-9 * rate);
}

TEST(Flow, StiffensAtTheDiffusivityLimit) {
  const Grid grid = small_grid();
  FlowLaw law;
  law.max_diffusivity = 1000;
  State state = slab(grid, 1500, 0.1);
  update_flow(grid, law, state);
  EXPECT_NEAR(sia_diffusivity(state.softness(2, 2), 1500, 0.01), 1000, 1e-6);
}

TEST(Flow, RockAboveTheIceDoesNotPress) {
  const Grid grid = small_grid();
  State state = slab(grid, 100, 0.0);
  state.usurf(1, 2) += 900;
  state.thk(1, 2) = 0;
  EXPECT_EQ(surface_slope(grid, state, 2, 2).x, 0);
  state.thk(1, 2) = 50;
  EXPECT_LT(surface_slope(grid, state, 2, 2).x, 0);
}

}  // namespace
}  // namespace pism
