#include "esker/types/box.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::kMax;
using testing_support::kMin;
using testing_support::points_of;
using testing_support::Random;

TEST(Box, AxesBeyondTheRankHoldOneIndex) {
  const Box box{{1, 2}, {4, 7}};
  EXPECT_EQ(box.rank, 2);
  EXPECT_EQ(box.lo, (Point{1, 2, 0, 0, 0}));
  EXPECT_EQ(box.hi, (Point{4, 7, 1, 1, 1}));
  EXPECT_EQ(box.extents(), (Point{3, 5, 1, 1, 1}));
  EXPECT_EQ(box.num_samples(), 15);
  EXPECT_EQ(Box(2, {1, 2, 9, 9, 9}, {4, 7, 9, 9, 9}), box);
  EXPECT_EQ(Box::from_extent(3, {4, 5, 6}), (Box{{0, 0, 0}, {4, 5, 6}}));
}

TEST(Box, IsEmptyWhenAnAxisIs) {
  EXPECT_FALSE((Box{{0}, {1}}.empty()));
  EXPECT_TRUE((Box{{3}, {3}}.empty()));
  const Box reversed{{0, 5}, {4, 3}};
  EXPECT_TRUE(reversed.empty());
  EXPECT_EQ(reversed.extent(1), 0);
  EXPECT_EQ(reversed.num_samples(), 0);
}

TEST(Box, CheckedNumSamplesDetectsOverflow) {
  EXPECT_EQ((Box{{0, 0}, {Index{1} << 31, Index{1} << 31}}.checked_num_samples()), Index{1} << 62);
  EXPECT_EQ((Box{{0, 0}, {Index{1} << 32, Index{1} << 31}}.checked_num_samples()), std::nullopt);
  EXPECT_EQ((Box{{-1}, {kMax}}.checked_num_samples()), std::nullopt);
  EXPECT_EQ((Box{{kMin}, {0}}.checked_num_samples()), std::nullopt);
  EXPECT_EQ((Box{{0, 0, 5}, {kMax, kMax, 5}}.checked_num_samples()), 0);
  EXPECT_EQ((Box{{-3}, {4}}.checked_num_samples()), 7);
}

TEST(Box, ContainsPointsAndBoxes) {
  const Box box{{1, 2}, {4, 7}};
  EXPECT_TRUE(box.contains(Point{1, 2}));
  EXPECT_TRUE(box.contains(Point{3, 6}));
  EXPECT_FALSE(box.contains(Point{4, 6}));
  EXPECT_FALSE(box.contains(Point{3, 1}));
  EXPECT_FALSE(box.contains(Point{1, 2, 1}));  // a third axis has the index 0 only
  EXPECT_TRUE(box.contains(box));
  EXPECT_TRUE(box.contains(Box{{100, 100}, {100, 200}}));  // empty
  EXPECT_FALSE(box.contains(Box{{1, 2}, {5, 7}}));
}

TEST(Box, PrintsAsHalfOpenIntervals) {
  EXPECT_EQ((Box{{0, 0}, {301, 561}}.to_string()), "[0,301) x [0,561)");
  EXPECT_EQ((Box{{-1}, {2}}.to_string()), "[-1,2)");
}

TEST(Box, IntersectionHoldsTheCommonPoints) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Box outer = Box::from_extent(1 + i % 5, {5, 4, 4, 3, 3});
    const Box a = random.box_in(outer), b = random.box_in(outer);
    const Box common = intersect(a, b);
    for (const Point& p : points_of(outer)) {
      ASSERT_EQ(common.contains(p), a.contains(p) && b.contains(p)) << a.to_string() << " " << b.to_string();
    }
  }
}

}  // namespace
}  // namespace esker
