#include "esker/types/lattice.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::as_set;
using testing_support::kMax;
using testing_support::kMin;
using testing_support::points_of;
using testing_support::Random;

Lattice random_lattice(Random& random, int rank) {
  Lattice lattice{.rank = rank};
  for (int a = 0; a < rank; ++a) {
    lattice.origin[a] = random.in(0, 4);
    lattice.stride[a] = random.in(1, 4);
    lattice.count[a] = random.in(1, 5);
  }
  return lattice;
}

TEST(Lattice, PointsAndCount) {
  const Lattice lattice{.rank = 2, .origin = {1, 0}, .stride = {2, 4, 1, 1, 1}, .count = {3, 2, 1, 1, 1}};
  EXPECT_EQ(lattice.num_samples(), 6);
  EXPECT_EQ(lattice.point({2, 1}), (Point{5, 4}));
  EXPECT_EQ(lattice.all_indices(), (Box{{0, 0}, {3, 2}}));
  EXPECT_EQ(lattice.to_string(), "origin (1,0), stride (2,4), count (3,2)");
}

TEST(Lattice, IndicesInABoxAreThoseOfItsSamples) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const int rank = 1 + i % 3;
    const Lattice lattice = random_lattice(random, rank);
    const Box box = random.box_in(Box(rank, {-3, -3, -3}, {25, 25, 25}));
    const Box inside = lattice.indices_in(box);
    ASSERT_TRUE(lattice.all_indices().contains(inside));
    for (const Point& index : points_of(lattice.all_indices())) {
      ASSERT_EQ(inside.contains(index), box.contains(lattice.point(index)))
          << lattice.to_string() << " in " << box.to_string();
    }
  }
}

TEST(Lattice, IndicesInEmptyFarAndHugeBoxes) {
  const Lattice lattice{.rank = 1, .origin = {3}, .stride = {4, 1, 1, 1, 1}, .count = {5, 1, 1, 1, 1}};
  EXPECT_TRUE(lattice.indices_in(Box{{4}, {7}}).empty());
  EXPECT_TRUE(lattice.indices_in(Box{{7}, {7}}).empty());
  EXPECT_TRUE(lattice.indices_in(Box{{15}, {7}}).empty());
  EXPECT_TRUE(lattice.indices_in(Box{{kMin}, {0}}).empty());
  EXPECT_TRUE(lattice.indices_in(Box{{20}, {kMax}}).empty());
  EXPECT_EQ(lattice.indices_in(Box{{kMin}, {kMax}}), lattice.all_indices());
}

TEST(Lattice, SubIsTheLatticeOfTheChosenIndices) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Lattice lattice = random_lattice(random, 1 + i % 5);
    const Box indices = random.box_in(lattice.all_indices());
    std::set<Point> expected;
    for (const Point& index : points_of(indices)) expected.insert(lattice.point(index));
    ASSERT_EQ(as_set(points_of(lattice.sub(indices))), expected);
  }
}

}  // namespace
}  // namespace esker
