#include "energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "constants.h"

namespace pism {
namespace {

/// A column of 21 levels, by default 50 m apart, with its own memory.
struct Column {
  std::vector<double> w = std::vector<double>(21, 0.0), source = w, temp = std::vector<double>(21, 250.0);
  std::vector<double> dz = std::vector<double>(20, 50.0);
  ColumnProblem problem;
  Tridiagonal system;

  Column() {
    problem.top = 20;
    problem.dz = dz.data();
    problem.years = 1000;
    problem.surface_temp = 240;
    problem.w = w.data();
    problem.source = source.data();
    system.resize(21);
  }
  /// A column with the levels of `grid`.
  explicit Column(const Grid& grid) : Column() {
    dz = grid.dz;
    for (auto* values : {&w, &source, &temp}) values->resize(grid.Mz, values->front());
    problem.top = grid.Mz - 1;
    problem.dz = dz.data();
    problem.w = w.data();
    problem.source = source.data();
    system.resize(grid.Mz);
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  void run(int steps) {
    for (int s = 0; s < steps; ++s) solve_column(problem, system, temp.data());
  }
};

TEST(Energy, ConductionAloneEndsInALine) {
  Column c;
  c.run(2000);
  const double gradient = kGeothermalFlux / kIceConductivity;  // K m^-1
  for (Index k = 0; k <= 20; ++k)
    EXPECT_NEAR(c.temp[k], 240 + gradient * (1000 - 50.0 * static_cast<double>(k)), 1e-8) << k;
}

TEST(Energy, SteadyAdvectionEndsInAnExponential) {
  // w dT/dz = kappa d2T/dz2 for constant w < 0: T' decays upwards as exp(w z / kappa). The base
  // condition enters as the flux; levels away from it are compared.
  Column c;
  c.w.assign(21, -0.1);
  c.w[0] = 0;
  c.run(4000);
  const double ratio = (c.temp[11] - c.temp[12]) / (c.temp[10] - c.temp[11]);
  const double peclet = 0.1 * 50 / kIceDiffusivity;
  EXPECT_NEAR(ratio, (1 - peclet / 2) / (1 + peclet / 2),
              1e-6);  // what centred differences make of the exponential
  EXPECT_NEAR(ratio, std::exp(-peclet), 1e-3);
}

TEST(Energy, StrongAdvectionDoesNotOscillate) {
  Column c;
  c.w.assign(21, -50.0);
  c.w[0] = 0;
  c.run(10);
  for (Index k = 0; k < 20; ++k) EXPECT_GE(c.temp[k], c.temp[k + 1] - 1e-9) << k;
}

TEST(Energy, HeatIsConserved) {
  // Without flow the heat in the column changes by what enters at the base, less what leaves at the top.
  Column c;
  c.problem.years = 1;
  const auto heat = [&] {  // J m^-2; half a cell at the base, the top level is held
    double sum = 0.5 * c.temp[0];
    for (Index k = 1; k < 20; ++k) sum += c.temp[k];
    return sum * kIceDensity * kIceHeatCapacity * 50;
  };
  c.run(1);
  const double before = heat();
  c.run(1);
  const double out = kIceConductivity * (c.temp[19] - c.temp[20]) / 50;
  EXPECT_NEAR(heat() - before, kGeothermalFlux - out, 1e-9 * before);
}

Grid column_grid(ZSpacing spacing, double height, Index levels = 21) {
  return make_grid({0, 1}, {0, 1}, levels, height, spacing);
}

TEST(Energy, ConductionOnRefinedLevelsEndsInALine) {
  const Grid grid = column_grid(ZSpacing::kQuadratic, 1000);
  Column c(grid);
  c.run(2000);
  const double gradient = kGeothermalFlux / kIceConductivity;  // K m^-1
  for (Index k = 0; k <= 20; ++k) EXPECT_NEAR(c.temp[k], 240 + gradient * (1000 - grid.z[k]), 1e-8) << k;
}

TEST(Energy, ALinearProfileIsUnchangedOnRefinedLevels) {
  // A linear profile changes only by advection, and w dT/dz is exact for it, too.
  const Grid grid = column_grid(ZSpacing::kQuadratic, 1000);
  const double gradient = kGeothermalFlux / kIceConductivity;
  for (const double speed : {0.0, 1.0, -1.0, -200.0}) {  // m/a; the last is upwind
    Column c(grid);
    c.problem.years = 0.01;
    for (Index k = 0; k <= 20; ++k) {
      c.temp[k] = 240 + gradient * (1000 - grid.z[k]);
      c.w[k] = k > 0 ? speed : 0;
      c.source[k] = -c.w[k] * gradient;
    }
    const std::vector<double> before = c.temp;
    c.run(10);
    for (Index k = 0; k <= 20; ++k) EXPECT_NEAR(c.temp[k], before[k], 1e-10) << k << " at " << speed;
  }
}

/// Largest distance [K] from Robin's steady profile in the lowest fifth of 3000 m of ice that sinks by
/// 0.2 m/a z/H.
double robin_error_near_bed(ZSpacing spacing, Index levels) {
  constexpr double kHeight = 3000, kBalance = 0.2, kSurface = 230;
  const Grid grid = column_grid(spacing, kHeight, levels);
  Column c(grid);
  c.problem.surface_temp = kSurface;
  for (Index k = 0; k < levels; ++k) c.w[k] = -kBalance * grid.z[k] / kHeight;
  c.run(1000);
  double error = 0;
  for (Index k = 0; grid.z[k] <= kHeight / 5; ++k) {
    const double exact = robin_temperature(grid.z[k], kHeight, kSurface, kBalance);
    error = std::max(error, std::abs(c.temp[k] - exact));
  }
  return error;
}

TEST(Energy, RefinedLevelsAreNearerToRobinsProfile) {
  for (const Index levels : {11, 21, 41}) {
    const double equal = robin_error_near_bed(ZSpacing::kEqual, levels);
    const double refined = robin_error_near_bed(ZSpacing::kQuadratic, levels);
    EXPECT_LT(refined, 0.5 * equal) << levels;  // measured: 0.39
  }
}

TEST(Energy, RobinsProfileConvergesWithSecondOrder) {
  for (const ZSpacing spacing : {ZSpacing::kEqual, ZSpacing::kQuadratic}) {
    const double coarse = robin_error_near_bed(spacing, 21), fine = robin_error_near_bed(spacing, 41);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
    EXPECT_LT(fine, 0.02);  // K
  }
}

TEST(Energy, RobinProfileMeetsItsBoundaries) {
  for (const double balance : {-1.0, 0.0, 0.2}) {
    EXPECT_DOUBLE_EQ(robin_temperature(1000, 1000, 240, balance), 240);
    const double slope =
        (robin_temperature(0, 1000, 240, balance) - robin_temperature(1, 1000, 240, balance)) / 1.0;
    EXPECT_NEAR(slope, kGeothermalFlux / kIceConductivity, 1e-5) << balance;
  }
  EXPECT_LT(robin_temperature(0, 3000, 240, 0.5), robin_temperature(0, 3000, 240, 0.1));
  EXPECT_EQ(robin_temperature(0, 3000, 270, 0), pressure_melting_point(3000));
}

}  // namespace
}  // namespace pism
