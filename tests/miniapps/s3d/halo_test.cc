#include "halo.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "case.h"

namespace s3d {
namespace {

double value_at(const Bricks& bricks, Index c, Index i, Index j, Index k) {
  const Index n = bricks.cells[2];
  const Index z = (bricks.own.lo[2] + k + n) % n;  // periodic
  return static_cast<double>(((c * n + z) * bricks.cells[1] + bricks.own.lo[1] + j) * bricks.cells[0] +
                             bricks.own.lo[0] + i);
}

/// Compares the ghosts at both ends of `axis` that are inside the domain.
void expect_ghosts(const Bricks& bricks, const Array& array, int axis) {
  for (int side = 0; side < 2; ++side) {
    if (bricks.neighbor[axis][side] == MPI_PROC_NULL) continue;
    std::array<Index, 3> lo{}, hi{array.cells(0), array.cells(1), array.cells(2)};
    lo[axis] = side == 0 ? -kGhosts : array.cells(axis);
    hi[axis] = lo[axis] + kGhosts;
    for (Index c = 0; c < array.components(); ++c) {
      for (Index k = lo[2]; k < hi[2]; ++k) {
        for (Index j = lo[1]; j < hi[1]; ++j) {
          for (Index i = lo[0]; i < hi[0]; ++i) {
            ASSERT_EQ(array.row(c, j, k)[i], value_at(bricks, c, i, j, k))
                << "cell " << i << ", " << j << ", " << k << " of " << bricks.own.to_string();
          }
        }
      }
    }
  }
}

void expect_all_ghosts(const std::array<Index, 3>& cells) {
  const Bricks bricks = bricks_of(MPI_COMM_WORLD, cells);
  Array array(bricks.own.extents(), 3, kGhosts);
  const Halo halo(MPI_COMM_WORLD, bricks, array);
  for (int round = 0; round < 2; ++round) {
    array.values().assign(array.values().size(), -1.0 - round);
    for (Index c = 0; c < 3; ++c) {
      for_rows(array, [&](Index j, Index k) {
        for (Index i = 0; i < array.cells(0); ++i) array.row(c, j, k)[i] = value_at(bricks, c, i, j, k);
      });
    }
    halo.exchange(array);
    for (int axis = 0; axis < 3; ++axis) expect_ghosts(bricks, array, axis);
  }
}

TEST(Halo, EveryGhostHoldsItsGlobalIndex) { expect_all_ghosts({15, 33, 17}); }
TEST(Halo, BricksAlongZ) { expect_all_ghosts({4, 5, 71}); }
TEST(Halo, BricksAsThickAsTheirGhosts) { expect_all_ghosts({4, 14, 14}); }

TEST(Bricks, RefusesFewerCellsThanGhosts) {
  EXPECT_THROW(make_bricks({4, 4, 4}, 0, 27), std::invalid_argument);
}

}  // namespace
}  // namespace s3d
