#include "model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "case.h"
#include "continuity.h"
#include "halfar.h"
#include "reduce.h"

namespace pism {
namespace {

/// A dome on a rough bed with a fjord below the sea: ice flows, falls, melts and calves.
void fill_rough(Case& c) {
  State& s = c.model.state();
  for_own(c.grid, [&](Index i, Index j) {
    const auto x = static_cast<double>(c.grid.xs + i), y = static_cast<double>(c.grid.ys + j);
    s.topg(i, j) = 300 * std::sin(x) * std::cos(0.7 * y) + 200 - (x < 4 ? 900 : 0);
    s.thk(i, j) = dome(c.grid, i, j, 2500, 230e3);
  });
}

/// A dome on flat land at 800 m, no temperature, no climate: softness of ice at -10 C everywhere.
void fill_isothermal(const Case& c, State& s) {
  s.topg.fill(800);
  for_own(c.grid, [&](Index i, Index j) { s.thk(i, j) = dome(c.grid, i, j, 2000, 220e3); });
  s.softness.fill(FlowLaw{}.rate_factor(kMeltingPoint - 10, 0));
  s.surface_balance.fill(0);
}

TEST(Model, SameStateForAnyNumberOfRanks) {
  Case all(MPI_COMM_WORLD, 19, 23, 15);
  Case alone(MPI_COMM_SELF, 19, 23, 15);
  for (Case* c : {&all, &alone}) {
    fill_rough(*c);
    c->model.initialise();
  }
  EXPECT_EQ(all.model.checksum(), alone.model.checksum());
  for (const double time : {0.7, 10.0, 25.0}) {
    all.model.advance_to(time);
    alone.model.advance_to(time);
    ASSERT_EQ(all.model.checksum(), alone.model.checksum()) << "year " << time;
  }
  const Summary a = all.model.summary(), b = alone.model.summary();
  EXPECT_EQ(a.time, 25.0);
  EXPECT_EQ(a.volume, b.volume);
  EXPECT_EQ(a.calved, b.calved);
  EXPECT_EQ(a.max_speed, b.max_speed);
  EXPECT_GT(a.mass_steps, 25);
  EXPECT_GT(a.calved, 0);
}

TEST(Model, VolumeChangesByTheLedger) {
  Case c(MPI_COMM_WORLD, 19, 23, 15);
  fill_rough(c);
  const double given = c.grid.dx * c.grid.dy * reproducible_sum(c.comm, c.grid, c.model.state().thk);
  c.model.initialise();
  c.model.advance_to(40);
  const Summary s = c.model.summary();
  EXPECT_NE(s.surface, 0);
  EXPECT_NEAR((s.volume - given) / given, (s.surface + s.clipped - s.calved) / given, 1e-12);
}

TEST(Model, TemperaturesStayPhysical) {
  Case c(MPI_COMM_WORLD, 19, 23, 15);
  fill_rough(c);
  c.model.initialise();
  c.model.advance_to(40);
  const State& s = c.model.state();
  for_own(c.grid, [&](Index i, Index j) {
    for (Index k = 0; k < c.grid.Mz; ++k) {
      const double t = s.temp.column(i, j)[k];
      ASSERT_GT(t, 225);
      ASSERT_LE(t, pressure_melting_point(std::max(0.0, s.thk(i, j) - c.grid.z[k])));
    }
  });
}

TEST(Model, IceAboveTheHighestLevelIsAnErrorOnAllRanks) {
  Case c(MPI_COMM_WORLD, 19, 23, 15);
  c.model.state().topg.fill(100);
  for_own(c.grid, [&](Index i, Index j) { c.model.state().thk(i, j) = dome(c.grid, i, j, 4500, 230e3); });
  EXPECT_THROW(c.model.initialise(), AgreedError);
}

TEST(Model, IsothermalStateIsTheSameForAnyNumberOfRanks) {
  const Halfar halfar;
  const auto axis = regular_axis(25, -960e3, 80e3);
  const Grid grid = make_grid(axis, axis, 9, 4000, ZSpacing::kQuadratic);
  Case all(MPI_COMM_WORLD, grid, isothermal_model(halfar.softness));
  Case alone(MPI_COMM_SELF, grid, isothermal_model(halfar.softness));
  for (Case* c : {&all, &alone}) {
    fill_dome(c->grid, halfar.initial, c->model.state());
    c->model.initialise();
    c->model.advance_to(3000);
  }
  EXPECT_EQ(all.model.checksum(), alone.model.checksum());
  const ThicknessError a = thickness_error(all.comm, all.grid, all.model.state().thk, halfar.at(3000));
  const ThicknessError b = thickness_error(alone.comm, alone.grid, alone.model.state().thk, halfar.at(3000));
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_LT(a.mean, 30);  // m, on 80 km; halfar_test has finer grids
  EXPECT_GT(a.mean, 1);
}

TEST(Model, IsothermalIceKeepsItsTemperatureAndVolume) {
  Case c(MPI_COMM_WORLD, 19, 23, 15, isothermal_model(1e-16));
  fill_dome(c.grid, {DomeKind::kVialov, 2500, 220e3}, c.model.state());
  c.model.initialise();
  const double before = c.model.summary().volume;
  c.model.advance_to(100);
  const State& s = c.model.state();
  for_own(c.grid, [&](Index i, Index j) {
    EXPECT_EQ(s.temp.column(i, j)[0], s.temp.column(0, 0)[14]);
    EXPECT_EQ(s.softness(i, j), 1e-16);
  });
  const Summary after = c.model.summary();
  EXPECT_NEAR(after.volume / before, 1.0, 1e-12);
  EXPECT_LT(after.max_thk, 2500);
  EXPECT_GT(after.max_speed, 10);
}

TEST(Continuity, DomeKeepsItsVolumeAndSpreads) {
  const Case c(MPI_COMM_WORLD, 21, 21, 2);
  State s(c.grid);
  Continuity continuity(c.comm, c.grid, c.halo, {});
  fill_isothermal(c, s);
  continuity.calve_and_update_surface(s);
  const double before = reproducible_sum(c.comm, c.grid, s.thk);
  const auto summit = [&] {
    double own = 0;
    for_own(c.grid, [&](Index i, Index j) { own = std::max(own, s.thk(i, j)); });
    return max_over_ranks(c.comm, own);
  };
  double height = summit();
  for (int n = 0; n < 5; ++n) {
    continuity.advance(s, 200);
    EXPECT_LT(summit(), height);
    height = summit();
  }
  EXPECT_NEAR(reproducible_sum(c.comm, c.grid, s.thk) / before, 1.0, 1e-12);
  EXPECT_EQ(reproducible_sum(c.comm, c.grid, continuity.ledger().clipped), 0);
}

TEST(Continuity, SymmetricIceStaysSymmetric) {
  const Case c(MPI_COMM_SELF, 21, 21, 2);
  State s(c.grid);
  Continuity continuity(c.comm, c.grid, c.halo, {});
  fill_isothermal(c, s);
  continuity.calve_and_update_surface(s);
  continuity.advance(s, 500);
  for_own(c.grid, [&](Index i, Index j) {
    EXPECT_EQ(s.thk(i, j), s.thk(20 - i, j));
    EXPECT_EQ(s.thk(i, j), s.thk(i, 20 - j));
    EXPECT_EQ(s.thk(i, j), s.thk(j, i));
  });
}

}  // namespace
}  // namespace pism
