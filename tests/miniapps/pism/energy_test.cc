#include "energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "constants.h"

namespace pism {
namespace {

/// A column of 21 levels, 50 m apart, with its own memory.
struct Column {
  std::vector<double> w = std::vector<double>(21, 0.0), source = w, temp = std::vector<double>(21, 250.0);
  ColumnProblem problem;
  Tridiagonal system;

  Column() {
    problem.top = 20;
    problem.dz = 50;
    problem.years = 1000;
    problem.surface_temp = 240;
    problem.w = w.data();
    problem.source = source.data();
    system.resize(21);
  }
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
