#include "plan/coarse_distribution.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "model/coarse_fields.h"

namespace esker {
namespace {

/// The samples of a level in a box, one by one.
std::set<std::pair<Index, Index>> samples_of_level(const Box& fine, int level) {
  const Index between = Index{1} << level;
  std::set<std::pair<Index, Index>> found;
  for (Index y = fine.lo[1]; y < fine.hi[1]; ++y) {
    for (Index x = fine.lo[0]; x < fine.hi[0]; ++x) {
      if (x % between == 0 && y % between == 0) found.emplace(x / between, y / between);
    }
  }
  return found;
}

std::set<std::pair<Index, Index>> samples_in(const Box& box) { return samples_of_level(box, 0); }

Box box_of(Index x, Index y, Index end_x, Index end_y) {
  Box box = Box::from_extent(2, {end_x, end_y});
  box.lo[0] = x;
  box.lo[1] = y;
  return box;
}

TEST(CoarseBox, HasTheSamplesOfALevel) {
  for (int level = 0; level <= 4; ++level) {
    for (Index lo = 0; lo < 20; ++lo) {
      for (Index hi = lo; hi < 36; ++hi) {
        const Box fine = box_of(lo, lo / 2, hi, hi);
        EXPECT_EQ(samples_in(coarse_box(fine, level)), samples_of_level(fine, level))
            << fine.to_string() << " " << level;
      }
    }
  }
}

TEST(CoarseDistribution, MeetsTheSamplesThatEachRankHolds) {
  const BoxesOfRanks boxes{
      {box_of(0, 0, 5, 11)}, {box_of(5, 0, 6, 11), box_of(6, 0, 13, 3)}, {}, {box_of(6, 3, 13, 11)}};
  const auto fine = std::make_shared<const BoxListDistribution>(Box::from_extent(2, {13, 11}), boxes);
  std::mt19937 random(49);
  for (int level = 1; level <= 4; ++level) {
    const CoarseDistribution coarse(fine, level);
    const Box domain = coarse.domain();
    EXPECT_EQ(samples_in(domain), samples_of_level(fine->domain(), level));
    for (int rank = 0; rank < 4; ++rank) {
      const std::vector<Box> held = coarse.boxes_of(rank);
      ASSERT_EQ(held.size(), boxes[static_cast<std::size_t>(rank)].size());
    }
    for (int k = 0; k < 50; ++k) {
      const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
      const Index x = below(domain.hi[0]), y = below(domain.hi[1]);
      const Box region = box_of(x, y, x + 1 + below(domain.hi[0] - x), y + 1 + below(domain.hi[1] - y));
      std::set<std::tuple<int, int>> met;
      coarse.for_each_meeting(region, [&](int rank, int patch, const Box& box) {
        EXPECT_TRUE(met.emplace(rank, patch).second);
        const Box& of = boxes[static_cast<std::size_t>(rank)][static_cast<std::size_t>(patch)];
        EXPECT_EQ(samples_in(box), samples_of_level(of, level));
      });
      for (int rank = 0; rank < 4; ++rank) {
        const auto& of_rank = boxes[static_cast<std::size_t>(rank)];
        for (std::size_t patch = 0; patch < of_rank.size(); ++patch) {
          bool expected = false;
          for (const auto& [sx, sy] : samples_of_level(of_rank[patch], level)) {
            expected = expected ||
                       (region.lo[0] <= sx && sx < region.hi[0] && region.lo[1] <= sy && sy < region.hi[1]);
          }
          EXPECT_EQ(met.contains({rank, static_cast<int>(patch)}), expected)
              << rank << " " << region.to_string();
        }
      }
    }
  }
}

}  // namespace
}  // namespace esker
