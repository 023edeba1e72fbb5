#include "grid/subtract.h"

#include <gtest/gtest.h>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;

/// The samples of both, or of the first without the second.
void expect_rest(const Box& from, const Box& what) {
  std::vector<Box> rest;
  subtract(from, what, rest);
  EXPECT_LE(rest.size(), 2U * static_cast<unsigned>(from.rank));
  std::vector<Point> found;
  for (const Box& box : rest) {
    EXPECT_FALSE(box.empty());
    EXPECT_EQ(box.rank, from.rank);
    for (const Point& point : points_of(box)) found.push_back(point);
  }
  std::vector<Point> expected;
  for (const Point& point : points_of(from)) {
    if (!what.contains(point)) expected.push_back(point);
  }
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected) << from.to_string() << " without " << what.to_string();
}

TEST(Subtract, LeavesWhatIsNotInTheOther) {
  Random random(1);
  for (int n = 0; n < 4000; ++n) {
    const int rank = 1 + n % kMaxRank;
    Point size{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) size[a] = random.in(1, rank > 3 ? 4 : 7);
    const Box domain = Box::from_extent(rank, size);
    expect_rest(random.box_in(domain), random.box_in(domain));
    if (HasFailure()) return;
  }
}

TEST(Subtract, KeepsABoxThatIsApart) {
  std::vector<Box> rest;
  subtract(Box{{-3, 0}, {-1, 4}}, Box{{-1, 0}, {5, 4}}, rest);
  EXPECT_EQ(rest, (std::vector<Box>{Box{{-3, 0}, {-1, 4}}}));
}

TEST(Subtract, AnEmptyBoxLeavesNothingAndTakesNothing) {
  const Box box{{0, 0}, {4, 4}}, empty{{2, 2}, {2, 3}};
  std::vector<Box> rest;
  subtract(empty, box, rest);
  EXPECT_TRUE(rest.empty());
  subtract(box, empty, rest);
  EXPECT_EQ(rest, std::vector<Box>{box});
}

TEST(Subtract, AppendsAndTakesLargeIndices) {
  const Box line{{testing_support::kMin}, {testing_support::kMax}};
  std::vector<Box> rest{line};
  subtract(line, Box{{-1}, {1}}, rest);
  EXPECT_EQ(rest,
            (std::vector<Box>{line, Box{{testing_support::kMin}, {-1}}, Box{{1}, {testing_support::kMax}}}));
}

}  // namespace
}  // namespace esker
