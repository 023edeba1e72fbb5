// Dilation against brute force, and its cost for any distance.
#include "adaptive/dilate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "grid/points.h"

namespace esker {
namespace {

std::vector<KeptLevel> dilated(const Box& box, Index distance, std::vector<KeptLevel> levels) {
  std::vector<KeptLevel> scratch(static_cast<std::size_t>(dilate_scratch(box, distance)));
  dilate(box, distance, levels, scratch);
  return levels;
}

std::size_t offset_in(const Box& box, const Point& p) {
  Index offset = 0;
  for (int a = box.rank; a-- > 0;) offset = offset * box.extent(a) + p[a] - box.lo[a];
  return static_cast<std::size_t>(offset);
}

TEST(Dilate, TakesTheFinestLevelNearby) {
  std::mt19937 random(3);
  const Box box{{2, 0, 1}, {15, 4, 2}};
  for (const Index distance : {0, 1, 3, 4, 12, 13, 1000}) {
    std::vector<KeptLevel> levels(static_cast<std::size_t>(box.num_samples()), kNotKept), expected = levels;
    for (int n = 0; n < 4; ++n) levels[random() % levels.size()] = static_cast<KeptLevel>(random() % 9);
    for_each_index_point(box, [&](const Point& p) {
      Box near = box;
      for (int a = 0; a < box.rank; ++a) {
        near.lo[a] = std::max(box.lo[a], p[a] - distance);
        near.hi[a] = std::min(box.hi[a], p[a] + distance + 1);
      }
      for_each_index_point(near, [&](const Point& q) {
        KeptLevel& level = expected[offset_in(box, p)];
        level = std::max(level, levels[offset_in(box, q)]);
      });
    });
    EXPECT_EQ(dilated(box, distance, levels), expected) << distance;
  }
}

// Would take minutes if short lines were padded by the distance.
TEST(Dilate, CostsNoMoreOnShortAxesForLongDistances) {
  const Box box{{0, 0}, {400000, 8}};
  std::vector<KeptLevel> levels(static_cast<std::size_t>(box.num_samples()), kNotKept);
  levels.front() = 5;
  levels = dilated(box, 100000, std::move(levels));
  EXPECT_EQ(std::count(levels.begin(), levels.end(), 5), Index{100001} * 8);
  EXPECT_LE(dilate_scratch(Box{{0, 0}, {4, 8}}, Index{1} << 40), 2 * (8 + 2 * 7));
}

}  // namespace
}  // namespace esker
