#include "halo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "case.h"

namespace pism {
namespace {

/// The value of node (x, y) of the grid at level k; beyond the edge, that of the nearest node.
double value_at(const Grid& grid, Index x, Index y, Index k, Index levels) {
  x = std::clamp<Index>(x, 0, grid.Mx - 1);
  y = std::clamp<Index>(y, 0, grid.My - 1);
  return static_cast<double>((y * grid.Mx + x) * levels + k);
}

void expect_all_ghosts(Index Mx, Index My, Index levels) {
  const Case c(MPI_COMM_WORLD, Mx, My, 3);
  Array<double> array(c.grid, levels);
  for (int round = 0; round < 2; ++round) {
    array.fill(-1.0 - round);
    for_own(c.grid, [&](Index i, Index j) {
      for (Index k = 0; k < levels; ++k)
        array.column(i, j)[k] = value_at(c.grid, c.grid.xs + i, c.grid.ys + j, k, levels);
    });
    c.halo.exchange(array, c.grid);
    for (Index j = -1; j <= c.grid.ym; ++j) {
      for (Index i = -1; i <= c.grid.xm; ++i) {
        for (Index k = 0; k < levels; ++k) {
          ASSERT_EQ(array.column(i, j)[k], value_at(c.grid, c.grid.xs + i, c.grid.ys + j, k, levels))
              << "column " << i << ", " << j << " of the part at " << c.grid.xs << ", " << c.grid.ys;
        }
      }
    }
  }
}

TEST(Halo, EveryGhostHoldsItsGlobalIndex) { expect_all_ghosts(15, 33, 1); }
TEST(Halo, MovesWholeColumns) { expect_all_ghosts(15, 33, 7); }
TEST(Halo, PartsOfOneColumn) { expect_all_ghosts(7, 7, 2); }

}  // namespace
}  // namespace pism
