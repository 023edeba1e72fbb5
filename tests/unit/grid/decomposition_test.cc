#include "esker/types/decomposition.hpp"

#include <gtest/gtest.h>

#include "grid/coverage.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;

std::vector<Box> boxes_of(const BrickDecomposition& d) {
  std::vector<Box> boxes;
  for (Index part = 0; part < d.num_parts(); ++part) boxes.push_back(d.box(part));
  return boxes;
}

Index parts_with_points(const BrickDecomposition& d) {
  Index n = 0;
  for (const Box& box : boxes_of(d)) n += !box.empty();
  return n;
}

Point parts_per_axis(const BrickDecomposition& d) {
  Point parts{1, 1, 1, 1, 1};
  for (int a = 0; a < d.rank(); ++a) parts[a] = d.num_parts(a);
  return parts;
}

/// Disjoint parts that cover [0, extent); the part of each point is the one box that holds it.
void expect_partition(const BrickDecomposition& d, const Point& extent) {
  const std::vector<Box> boxes = boxes_of(d);
  for (const Point& p : points_of(Box::from_extent(d.rank(), extent))) {
    int n_holders = 0;
    for (const Box& box : boxes) n_holders += box.contains(p);
    ASSERT_EQ(n_holders, 1);
    ASSERT_TRUE(boxes[d.part_of(p)].contains(p));
  }
}

Point random_extent(Random& random, int rank) {
  return random.point_in(Box(rank, {1, 1, 1, 1, 1}, {30, 12, 8, 5, 4}));
}

TEST(Decomposition, EvenPartsDifferByOnePoint) {
  Random random(22);
  for (int i = 0; i < 100; ++i) {
    const int rank = 1 + i % 5;
    const Point extent = random_extent(random, rank);
    const Point parts = random.point_in(Box(rank, {1, 1, 1, 1, 1}, {8, 6, 4, 3, 3}));
    const auto d = BrickDecomposition::even(rank, extent, parts).value();
    ASSERT_EQ(d.rank(), rank);
    ASSERT_NO_FATAL_FAILURE(expect_partition(d, extent));
    for (int a = 0; a < rank; ++a) {
      ASSERT_EQ(d.num_parts(a), parts[a]);
      const auto& cuts = d.cuts(a);
      for (Index k = 0; k < parts[a]; ++k) {
        const Index size = cuts[k + 1] - cuts[k];
        ASSERT_TRUE(size == extent[a] / parts[a] || size == extent[a] / parts[a] + 1);
        const Index before = k > 0 ? cuts[k] - cuts[k - 1] : size;
        ASSERT_LE(size, before) << "larger parts come first";
      }
    }
  }
}

TEST(Decomposition, PartsAreNumberedWithXFastest) {
  const auto d = BrickDecomposition::even(2, {10, 4}, {3, 2}).value();
  EXPECT_EQ(d.num_parts(), 6);
  EXPECT_EQ(d.box(0), (Box{{0, 0}, {4, 2}}));
  EXPECT_EQ(d.box(1), (Box{{4, 0}, {7, 2}}));
  EXPECT_EQ(d.box(2), (Box{{7, 0}, {10, 2}}));
  EXPECT_EQ(d.box(3), (Box{{0, 2}, {4, 4}}));
  EXPECT_EQ(d.box(5), (Box{{7, 2}, {10, 4}}));
}

TEST(Decomposition, FromCutsTakesAnyCuts) {
  const auto d = BrickDecomposition::from_cuts({{0, 1, 1, 6}, {0, 3}}).value();
  EXPECT_EQ(d.num_parts(), 3);
  EXPECT_TRUE(d.box(1).empty());
  EXPECT_EQ(d.box(2), (Box{{1, 0}, {6, 3}}));
  EXPECT_NO_FATAL_FAILURE(expect_partition(d, {6, 3}));
}

TEST(Decomposition, FromCutsRefusesInvalidCuts) {
  const std::vector<std::vector<std::vector<Index>>> bad{
      {}, {{}}, {{0}}, {{1, 4}}, {{0, 5, 4}}, {{0, 4}, {0, 0}}, {{0}, {0, 2}}, {{0, -3}}};
  for (const auto& cuts : bad) {
    EXPECT_EQ(BrickDecomposition::from_cuts(cuts).status().code(), Code::kInvalidArgument);
  }
  EXPECT_FALSE(BrickDecomposition::from_cuts(std::vector<std::vector<Index>>(6, {0, 1})).ok());
}

TEST(Decomposition, RefusesImpossibleGridsAndRanks) {
  EXPECT_FALSE(BrickDecomposition::even(2, {4, 4}, {2, 0}).ok());
  EXPECT_FALSE(BrickDecomposition::even(2, {4, 0}, {2, 2}).ok());
  EXPECT_FALSE(BrickDecomposition::even(0, {}, {}).ok());
  EXPECT_FALSE(BrickDecomposition::pism(2, {4, 4}, 0).ok());
  EXPECT_FALSE(BrickDecomposition::near_cubic(6, {4, 4}, 1).ok());
  EXPECT_FALSE(BrickDecomposition::near_cubic(3, {4, 4, -1}, 1).ok());
}

TEST(Decomposition, PartsMeetingABoxAreThoseWithCommonPoints) {
  Random random(23);
  for (int i = 0; i < 200; ++i) {
    const int rank = 1 + i % 3;
    const Point extent = random_extent(random, rank);
    const Point parts = random.point_in(Box(rank, {1, 1, 1}, {12, 6, 4}));  // some without points
    const auto d = BrickDecomposition::even(rank, extent, parts).value();
    const Box box = random.box_in(Box(rank, {-3, -3, -3}, {35, 15, 11}));
    const Box meeting = d.parts_meeting(box);
    for (const Point& c : points_of(Box::from_extent(rank, parts_per_axis(d)))) {
      const Index part = c[0] + parts[0] * (c[1] + (rank > 1 ? parts[1] : 1) * c[2]);
      if (d.box(part).empty()) continue;
      ASSERT_EQ(meeting.contains(c), !intersect(d.box(part), box).empty());
    }
  }
}

TEST(Decomposition, NoPartsMeetAnEmptyOrOutsideBox) {
  const auto d = BrickDecomposition::even(2, {10, 4}, {3, 2}).value();
  EXPECT_TRUE(d.parts_meeting(Box{{3, 3}, {3, 4}}).empty());
  EXPECT_TRUE(d.parts_meeting(Box{{10, 0}, {12, 4}}).empty());
  EXPECT_EQ(d.parts_meeting(Box{{-9, -9}, {99, 99}}), (Box{{0, 0}, {3, 2}}));
}

struct PismCase {
  Index mx, my;
  int n_ranks;
  Index nx, ny;
};

TEST(Decomposition, PismSplitsAsPismDoes) {
  // Worked out by hand from PISM's compute_nprocs: floor(0.5 + sqrt(mx * n / my)), down to a divisor,
  // swapped when x is the longer axis with fewer parts.
  const PismCase cases[] = {
      {301, 561, 1, 1, 1},  {301, 561, 2, 1, 2},   {301, 561, 4, 1, 4},  // sqrt(2.15) + .5 = 1.96
      {301, 561, 6, 2, 3},  {301, 561, 7, 1, 7},   {301, 561, 8, 2, 4},  // 2.29, 2.44, 2.57
      {301, 561, 16, 2, 8}, {301, 561, 64, 4, 16}, {100, 100, 4, 2, 2},  // 3.43 -> 2; 6.36 -> 4
      {200, 100, 6, 3, 2},  {200, 100, 12, 4, 3},  {561, 301, 7, 7, 1},  // 3.96, 5.4 -> 4; swapped
      {90, 80, 22, 11, 2},  {1000, 10, 6, 6, 1},                         // 5.47 -> 2, swapped
  };
  for (const PismCase& c : cases) {
    const auto d = BrickDecomposition::pism(2, {c.mx, c.my}, c.n_ranks).value();
    EXPECT_EQ(parts_per_axis(d), (Point{c.nx, c.ny, 1, 1, 1})) << c.mx << "x" << c.my << " " << c.n_ranks;
  }
}

TEST(Decomposition, PismKeepsColumnsWhole) {
  const auto d = BrickDecomposition::pism(3, {301, 561, 61}, 6).value();
  EXPECT_EQ(parts_per_axis(d), (Point{2, 3, 1, 1, 1}));
  EXPECT_EQ(d.box(0), (Box{{0, 0, 0}, {151, 187, 61}}));
  EXPECT_EQ(d.box(5), (Box{{151, 374, 0}, {301, 561, 61}}));
  EXPECT_EQ(find_coverage_defect(Box{{0, 0, 0}, {301, 561, 61}}, boxes_of(d)), std::nullopt);
  EXPECT_EQ(parts_per_axis(BrickDecomposition::pism(1, {50}, 7).value()), (Point{7, 1, 1, 1, 1}));
}

TEST(Decomposition, PismWithFewPointsTakesASplitThatFits) {
  // PISM's rule gives 3 x 14 and an error; with 6 x 7 and 7 x 6 every rank has points.
  const auto d = BrickDecomposition::pism(2, {7, 10}, 42).value();
  EXPECT_EQ(parts_with_points(d), 42);
}

/// The most parts that can have points, over all ways to factor n.
Index most_parts_with_points(int rank, const Point& extent, Index n, int axis = 0) {
  if (axis == rank - 1) return std::min(n, extent[axis]);
  Index most = 0;
  for (Index d = 1; d <= n; ++d) {
    if (n % d != 0) continue;
    most = std::max(most, std::min(d, extent[axis]) * most_parts_with_points(rank, extent, n / d, axis + 1));
  }
  return most;
}

TEST(Decomposition, MoreRanksThanPointsLeaveFewestPartsEmpty) {
  Random random(24);
  for (int i = 0; i < 200; ++i) {
    const int rank = 1 + i % 4;
    const Point extent = random.point_in(Box(rank, {1, 1, 1, 1}, {7, 6, 4, 3}));
    const int n_ranks = static_cast<int>(random.in(1, 100));
    const auto cubic = BrickDecomposition::near_cubic(rank, extent, n_ranks).value();
    const auto pism = BrickDecomposition::pism(rank, extent, n_ranks).value();
    for (const auto* d : {&cubic, &pism}) {
      ASSERT_EQ(d->num_parts(), n_ranks);
      ASSERT_NO_FATAL_FAILURE(expect_partition(*d, extent));
    }
    ASSERT_EQ(parts_with_points(cubic), most_parts_with_points(rank, extent, n_ranks));
    const int plane = std::min(rank, 2);
    ASSERT_EQ(parts_with_points(pism), most_parts_with_points(plane, extent, n_ranks));
  }
}

Point near_cubic(std::initializer_list<Index> extents, int n_ranks) {
  Point extent{};
  std::copy(extents.begin(), extents.end(), extent.begin());
  return parts_per_axis(
      BrickDecomposition::near_cubic(static_cast<int>(extents.size()), extent, n_ranks).value());
}

TEST(Decomposition, NearCubicFollowsTheShapeOfTheGrid) {
  EXPECT_EQ(near_cubic({64, 64, 64}, 8), (Point{2, 2, 2, 1, 1}));
  EXPECT_EQ(near_cubic({64, 64, 64}, 27), (Point{3, 3, 3, 1, 1}));
  EXPECT_EQ(near_cubic({64, 64, 64}, 2), (Point{1, 1, 2, 1, 1}));  // the slowest axis first
  EXPECT_EQ(near_cubic({64, 64, 64}, 12), (Point{2, 2, 3, 1, 1}));
  EXPECT_EQ(near_cubic({400, 100, 100}, 4), (Point{4, 1, 1, 1, 1}));
  EXPECT_EQ(near_cubic({100, 400}, 16), (Point{2, 8, 1, 1, 1}));
  EXPECT_EQ(near_cubic({512, 512, 1}, 16), (Point{4, 4, 1, 1, 1}));
  EXPECT_EQ(near_cubic({1000}, 7), (Point{7, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace esker
