#include "resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "input.h"
#include "named_grids.h"

namespace pism {
namespace {

constexpr const char* kGreenland = ESKER_TEST_GREENLAND;

using Axis = std::vector<double>;

Axis resampled(const std::vector<Stencil>& stencils, const Axis& values) {
  Axis out;
  for (const Stencil& s : stencils) {
    double sum = 0;
    for (std::size_t n = 0; n < s.weights.size(); ++n) sum += s.weights[n] * values.at(s.first + n);
    out.push_back(sum);
  }
  return out;
}

std::vector<Stencil> all(const Axis& source, const Axis& targets, Sampling sampling) {
  return resampling_stencils(source, targets, 0, static_cast<Index>(targets.size()), sampling);
}

TEST(Resample, CoincidingPointsTakeOneValue) {
  const Axis source = regular_axis(31, -800e3, 5e3);
  for (const Sampling sampling : {Sampling::kPoints, Sampling::kCells}) {
    Index n = 0;
    for (const Stencil& s : all(source, source, sampling)) {
      EXPECT_EQ(s.first, n++);
      EXPECT_EQ(s.weights, Axis{1.0});
    }
  }
  const auto every_third = all(source, regular_axis(11, -800e3, 15e3), Sampling::kPoints);
  EXPECT_EQ(every_third[7].first, 21);
  EXPECT_EQ(every_third[7].weights, Axis{1.0});
}

TEST(Resample, ReproducesLinearFunctions) {
  // Finer and coarser targets, aligned or not, up to the very edges.
  const Axis source = regular_axis(31, -70, 5);
  for (const double spacing : {0.7, 1.0, 4.9, 5.0, 6.0, 7.3, 10.0, 31.0}) {
    const Axis targets = regular_axis(static_cast<Index>(150 / spacing) + 1, -70, spacing);
    for (const Sampling sampling : {Sampling::kPoints, Sampling::kCells}) {
      const Axis found = resampled(all(source, targets, sampling), source);
      for (std::size_t n = 0; n < targets.size(); ++n) EXPECT_NEAR(found[n], targets[n], 1e-12) << spacing;
    }
  }
}

TEST(Resample, CellsTakeTheMeanOfTheStraightLines) {
  const Axis source = regular_axis(5, 0, 1);
  const auto half = all(source, {0, 2, 4}, Sampling::kCells);
  EXPECT_EQ(half[0].weights, Axis{1.0});  // on the edge: no cell
  EXPECT_EQ(half[1].first, 1);
  EXPECT_EQ(half[1].weights, (Axis{0.25, 0.5, 0.25}));
  EXPECT_EQ(half[2].first, 4);
}

TEST(Resample, WeightsArePositiveAndAddUpToOne) {
  const Axis source = regular_axis(31, -70, 5);
  for (const double spacing : {0.7, 3.0, 6.0, 7.3, 31.0}) {
    for (const Stencil& s : all(source, regular_axis(20, -100, spacing), Sampling::kCells)) {
      EXPECT_NEAR(std::accumulate(s.weights.begin(), s.weights.end(), 0.0), 1.0, 1e-14);
      for (const double w : s.weights) EXPECT_GT(w, 0);
      EXPECT_GE(s.first, 0);
      EXPECT_LE(s.first + static_cast<Index>(s.weights.size()), 31);
    }
  }
}

TEST(Resample, TakesTheNearestValueBeyondTheEdge) {
  const Axis source = {0, 1, 2};
  EXPECT_EQ(resampled(all(source, {-9, -5, -1, 3, 7}, Sampling::kCells), {4, 5, 6}), (Axis{4, 4, 4, 6, 6}));
}

TEST(Resample, PartsHaveTheStencilsOfTheWhole) {
  const Axis source = regular_axis(31, -70, 5), targets = regular_axis(20, -65, 7.3);
  const auto whole = all(source, targets, Sampling::kCells);
  const auto part = resampling_stencils(source, targets, 6, 5, Sampling::kCells);
  ASSERT_EQ(part.size(), 5U);
  for (std::size_t n = 0; n < part.size(); ++n) {
    EXPECT_EQ(part[n].first, whole[n + 6].first);
    EXPECT_EQ(part[n].weights, whole[n + 6].weights);
  }
}

TEST(Resample, RequiresRegularAxes) {
  EXPECT_THROW(all({0, 1, 3}, {0, 1}, Sampling::kCells), std::invalid_argument);
  EXPECT_THROW(all({1, 0}, {0, 1}, Sampling::kCells), std::invalid_argument);
}

class RealGreenland : public ::testing::Test {
 protected:
  static Array<double> thickness(const Grid& grid) {
    Array<double> map(grid);
    read_map(kGreenland, "thk", grid, Sampling::kCells, map);
    return map;
  }
  /// The file's extent at `spacing` m, which divides it.
  static Grid at(double spacing) {
    return make_grid(regular_axis(std::llround(1500e3 / spacing) + 1, -800e3, spacing),
                     regular_axis(std::llround(2800e3 / spacing) + 1, -3400e3, spacing), 2, 4000);
  }
  static double volume(const Grid& grid) {
    const Array<double> map = thickness(grid);
    double sum = 0;
    for_own(grid, [&](Index i, Index j) { sum += map(i, j); });
    return sum * grid.dx * grid.dy;
  }
};

TEST_F(RealGreenland, OnItsOwnGridKeepsItsBits) {
  const InputAxes axes = read_axes(kGreenland, 1);
  const GridSpec& spec = *find_named_grid("g5km");
  const Grid named = make_grid(regular_axis(spec.Mx, spec.x0, spec.spacing),
                               regular_axis(spec.My, spec.y0, spec.spacing), 2, 4000);
  EXPECT_EQ(named.x, axes.x);
  EXPECT_EQ(named.y, axes.y);
  Array<double> points(named);
  read_map(kGreenland, "thk", named, Sampling::kPoints, points);
  EXPECT_EQ(thickness(named).values(), points.values());
  // The output of ncdump -p 9 for the file: one value, and the largest.
  EXPECT_EQ(points(150, 280), 3109.69995F);
  double largest = 0;
  for_own(named, [&](Index i, Index j) { largest = std::max(largest, points(i, j)); });
  EXPECT_EQ(largest, 3353.28296F);
}

TEST_F(RealGreenland, KeepsItsVolumeOnFinerAndCoarserGrids) {
  const double given = volume(at(5e3));
  EXPECT_NEAR(given, 2.911e15, 0.001e15);  // data/README.md
  for (const double spacing : {2e3, 4e3, 10e3, 20e3, 50e3}) {
    EXPECT_NEAR(volume(at(spacing)) / given, 1.0, 0.01) << spacing;
  }
}

}  // namespace
}  // namespace pism
