#include "solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "case.h"
#include "jet.h"
#include "sheets.h"

namespace s3d {
namespace {

constexpr std::array<Index, 3> kCells{33, 25, 17};

std::uint64_t state_after(MPI_Comm comm, int steps) {
  const Bricks bricks = bricks_of(comm, kCells);
  Solver solver(comm, bricks, jet());
  solver.start();
  for (int n = 0; n < steps; ++n) solver.advance();
  return checksum(comm, bricks, solver.scalars());
}

TEST(Solver, AnyNumberOfRanksComputesTheSameBits) {
  EXPECT_EQ(state_after(MPI_COMM_WORLD, 10), state_after(MPI_COMM_SELF, 10));
}

TEST(Solver, UniformScalarsStayUniform) {
  const Bricks bricks = bricks_of(MPI_COMM_WORLD, kCells);
  const Values values{800, 0.25, 0, 0.125};  // no oxygen: nothing burns
  const auto uniform = [=](const Place&, double) { return values; };
  Solver solver(MPI_COMM_WORLD, bricks, {jet().flow, uniform, uniform});
  solver.start();
  for (int n = 0; n < 20; ++n) solver.advance();
  for (int s = 0; s < kNumScalars; ++s) {
    for_rows(solver.scalars(), [&](Index j, Index k) {
      for (Index i = 0; i < bricks.own.extent(0); ++i) {
        ASSERT_NEAR(solver.scalars().row(s, j, k)[i], values[s], 1e-11 * values[s]);
      }
    });
  }
}

/// New extremes: less than the streams have, or hotter than burnt gas.
TEST(Solver, MassFractionsStayInRange) {
  const Bricks bricks = bricks_of(MPI_COMM_WORLD, kCells);
  Solver solver(MPI_COMM_WORLD, bricks, jet());
  solver.start();
  for (int n = 0; n < 50; ++n) solver.advance();
  for_rows(solver.scalars(), [&](Index j, Index k) {
    for (Index i = 0; i < bricks.own.extent(0); ++i) {
      for (const int s : {kCO, kO2, kCO2}) ASSERT_GE(solver.scalars().row(s, j, k)[i], -1e-12);
      ASSERT_GE(solver.scalars().row(kT, j, k)[i], kFuel[kT] * (1 - 1e-12));
      ASSERT_LE(solver.scalars().row(kT, j, k)[i], 2400);
    }
  });
}

TEST(Solver, ThinHotSheetsAreSpreadUnevenlyOverTheRanks) {
  const Bricks bricks = bricks_of(MPI_COMM_WORLD, {64, 48, 32});
  Solver solver(MPI_COMM_WORLD, bricks, jet());
  solver.start();
  for (int n = 0; n < 40; ++n) solver.advance();
  const Sheets sheets = find_sheets(MPI_COMM_WORLD, solver.scalars(), 1600);
  EXPECT_GT(sheets.hot, 0.05);
  EXPECT_LT(sheets.hot, 0.15);
  EXPECT_LE(sheets.least, sheets.hot);
  EXPECT_GE(sheets.most, sheets.hot);
  if (miniapp::World(MPI_COMM_WORLD).size == 1) return;
  EXPECT_GT(sheets.most, 1.5 * sheets.least);
}

}  // namespace
}  // namespace s3d
