#include "transport.h"

#include <gtest/gtest.h>

#include <cmath>

#include "case.h"
#include "norms.h"
#include "reduce.h"

namespace gcrm {
namespace {

std::vector<Norms> run(MPI_Comm comm, int level, const Bell& bell, double days,
                       const TransportOptions& options = {}) {
  const Case c(comm, level);
  Transport transport(comm, c.mesh, c.halo, bell.axis(), bell.speeds(), options);
  std::vector<double> tracer = exact_tracer(c.mesh, bell, 0);
  transport.advance(tracer, days);
  return find_norms(comm, c.mesh, bell, tracer, days);
}

TEST(Transport, ConservesMassToRounding) {
  const Bell bell{.alpha_degrees = 70, .layers = 3};
  const Case c(MPI_COMM_WORLD, 4);
  Transport transport(c.comm, c.mesh, c.halo, bell.axis(), bell.speeds());
  std::vector<double> tracer = exact_tracer(c.mesh, bell, 0);
  const auto before = find_norms(c.comm, c.mesh, bell, tracer, 0);
  transport.advance(tracer, 6);
  const auto after = find_norms(c.comm, c.mesh, bell, tracer, 6);
  for (int k = 0; k < bell.layers; ++k) EXPECT_NEAR(after[k].mass / before[k].mass, 1, 1e-14);
}

TEST(Transport, AConstantStaysOne) {
  const Bell bell{.alpha_degrees = 90};
  const Case c(MPI_COMM_WORLD, 3);
  Transport transport(c.comm, c.mesh, c.halo, bell.axis(), bell.speeds());
  std::vector<double> tracer(c.mesh.num_local(), 0.7);
  transport.advance(tracer, 3);
  for (Index cell = 0; cell < c.mesh.num_own(); ++cell) EXPECT_NEAR(tracer[cell], 0.7, 1e-14);
}

TEST(Transport, MakesNoNewExtremes) {
  for (const Norms& n : run(MPI_COMM_WORLD, 4, {.alpha_degrees = 45, .layers = 2}, 6)) {
    EXPECT_GE(n.least, -1e-13);
    EXPECT_LE(n.most, 1);
    EXPECT_GT(n.most, 0.5);
  }
}

// The bell carried over both poles, a quarter of the way around: errors shrink with the cells.
TEST(Transport, ErrorsFallWithTheCells) {
  const Bell bell{.alpha_degrees = 90};
  const Norms coarse = run(MPI_COMM_WORLD, 4, bell, 3)[0], fine = run(MPI_COMM_WORLD, 5, bell, 3)[0];
  const auto order = [](double a, double b) { return std::log2(a / b); };
  EXPECT_GT(order(coarse.l1, fine.l1), 1.5);
  EXPECT_GT(order(coarse.l2, fine.l2), 1.5);
  EXPECT_GT(order(coarse.linf, fine.linf), 1.0);
}

TEST(Transport, LinearFunctionsAreMoreAccurateThanUpwind) {
  const Bell bell{.alpha_degrees = 45};
  const Norms upwind = run(MPI_COMM_WORLD, 4, bell, 3, {.first_order = true})[0];
  const Norms linear = run(MPI_COMM_WORLD, 4, bell, 3)[0];
  EXPECT_LT(linear.l2, 0.5 * upwind.l2);
}

// The layers turn at their speeds: after 12 days the highest is back, the lowest at the other side.
TEST(Transport, EachLayerFollowsItsOwnSolution) {
  const Bell bell{.alpha_degrees = 0, .layers = 3};
  EXPECT_NEAR(bell.centre(2, 12).y, -1, 1e-12);
  EXPECT_NEAR(bell.centre(0, 12).y, 1, 1e-12);
  for (const Norms& n : run(MPI_COMM_WORLD, 5, bell, 2)) EXPECT_LT(n.l2, 0.12);
}

TEST(Transport, HasTheSameBitsOnAnyNumberOfRanks) {
  const Bell bell{.alpha_degrees = 30, .layers = 2};
  const auto state = [&](MPI_Comm comm) {
    const Case c(comm, 3);
    Transport transport(comm, c.mesh, c.halo, bell.axis(), bell.speeds());
    std::vector<double> tracer = exact_tracer(c.mesh, bell, 0);
    transport.advance(tracer, 1);
    return checksum(comm, tracer.data(), bell.layers * c.mesh.num_own(), bell.layers * c.mesh.own.first);
  };
  EXPECT_EQ(state(MPI_COMM_WORLD), state(MPI_COMM_SELF));
  const Norms all = run(MPI_COMM_WORLD, 3, bell, 1)[1], one = run(MPI_COMM_SELF, 3, bell, 1)[1];
  EXPECT_EQ(all.l1, one.l1);
  EXPECT_EQ(all.l2, one.l2);
  EXPECT_EQ(all.linf, one.linf);
  EXPECT_EQ(all.mass, one.mass);
}

TEST(ExactSum, IsExactForSmallAndLargeNumbers) {
  ExactSum sum;
  sum.add(1e5);
  sum.add(0x1p-60);
  sum.add(-1e5);
  EXPECT_EQ(sum.value(), 0x1p-60);
}

}  // namespace
}  // namespace gcrm
