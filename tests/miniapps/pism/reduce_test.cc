#include "reduce.h"

#include <gtest/gtest.h>

#include "case.h"

namespace pism {
namespace {

/// Fills a map of a 15 x 33 grid with values of unlike sizes.
Array<double> rough_map(const Grid& grid) {
  Array<double> map(grid);
  for_own(grid, [&](Index i, Index j) {
    const auto n = static_cast<double>((grid.ys + j) * grid.Mx + grid.xs + i);
    map(i, j) = std::sin(n) * std::pow(10.0, std::fmod(n, 7.0) - 3.0);
  });
  return map;
}

TEST(Reduce, SumsAndChecksumsDoNotDependOnRanks) {
  const Case all(MPI_COMM_WORLD, 15, 33, 2);
  const Case alone(MPI_COMM_SELF, 15, 33, 2);
  const Array<double> spread = rough_map(all.grid), whole = rough_map(alone.grid);
  EXPECT_EQ(reproducible_sum(MPI_COMM_WORLD, all.grid, spread),
            reproducible_sum(MPI_COMM_SELF, alone.grid, whole));
  EXPECT_EQ(checksum(MPI_COMM_WORLD, all.grid, spread), checksum(MPI_COMM_SELF, alone.grid, whole));
}

TEST(Reduce, ChecksumDependsOnEachBitAndPosition) {
  const Case c(MPI_COMM_SELF, 15, 33, 2);
  Array<double> map = rough_map(c.grid);
  const auto before = checksum(MPI_COMM_SELF, c.grid, map);
  std::swap(map(3, 4), map(4, 3));
  EXPECT_NE(checksum(MPI_COMM_SELF, c.grid, map), before);
  std::swap(map(3, 4), map(4, 3));
  map(0, 0) = std::nextafter(map(0, 0), 1e9);
  EXPECT_NE(checksum(MPI_COMM_SELF, c.grid, map), before);
}

TEST(Reduce, AFailureOnOneRankIsThrownOnAll) {
  const int last = Case::size(MPI_COMM_WORLD) - 1;
  const bool fails = Case::rank(MPI_COMM_WORLD) == last;
  try {
    together(MPI_COMM_WORLD, [&] {
      if (fails) throw std::runtime_error("disk on fire");
    });
    FAIL() << "no error";
  } catch (const AgreedError& e) {
    EXPECT_EQ(e.what(), "rank " + std::to_string(last) + ": disk on fire");
  }
  together(MPI_COMM_WORLD, [] {});
}

}  // namespace
}  // namespace pism
