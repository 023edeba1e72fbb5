#include "hierarchy.h"

#include <gtest/gtest.h>

namespace uintah {
namespace {

constexpr Sizes kSizes{.coarse_patches = {2, 2, 1, 0, 0}, .coarse_edge = 9, .fine_edge = 6, .num_levels = 3};

Hierarchy at(double time) { return {kSizes, make_mesh(kSizes), time}; }

bool is_in_a_patch(const Hierarchy& h, int level, const Point& cell) {
  for (const Box& box : h.patches(level)) {
    if (box.contains(cell)) return true;
  }
  return false;
}

TEST(Hierarchy, PatchesAreDisjointAndInTheirLevel) {
  const Hierarchy h = at(0.3);
  for (int level = 0; level < kSizes.num_levels; ++level) {
    const auto& patches = h.patches(level);
    ASSERT_FALSE(patches.empty());
    for (std::size_t i = 0; i < patches.size(); ++i) {
      EXPECT_TRUE(h.mesh().domain(level).contains(patches[i]));
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(patches[i], patches[j]).empty());
    }
  }
}

TEST(Hierarchy, EveryCellNearASurfaceIsRefined) {
  const Hierarchy h = at(0.2);
  for (int level = 0; level + 1 < kSizes.num_levels; ++level) {
    const double near = 2 * h.mesh().spacing[0] / (1 << level);
    for_each_point(h.mesh().domain(level), [&](const Point& cell) {
      const bool is_near = h.features().distance(h.center(level, cell)) < near;
      EXPECT_TRUE(!is_near || h.is_covered(level, cell));
    });
  }
}

TEST(Hierarchy, OneCellLiesBetweenBordersOfLevels) {
  const Hierarchy h = at(0.4);
  for (const Box& fine : h.patches(2)) {
    Box around = fine;
    for (int a = 0; a < 3; ++a) {
      around.lo[a] = fine.lo[a] / 2 - 1;
      around.hi[a] = fine.hi[a] / 2 + 1;
    }
    for_each_point(intersect(around, h.mesh().domain(1)),
                   [&](const Point& cell) { EXPECT_TRUE(is_in_a_patch(h, 1, cell)); });
  }
}

TEST(Hierarchy, CountsCoveredCells) {
  const Hierarchy h = at(0);
  Index covered = 0;
  for (int level = 0; level < kSizes.num_levels; ++level) {
    for (const Box& box : h.patches(level)) {
      for_each_point(box, [&](const Point& cell) { covered += h.is_covered(level, cell) ? 1 : 0; });
    }
  }
  EXPECT_EQ(h.num_covered_cells(), covered);
}

TEST(Hierarchy, PatchesChangeAndGrowInNumber) {
  EXPECT_NE(at(0).patches(2), at(0.1).patches(2));
  EXPECT_LT(at(0).num_patches(), at(0.4).num_patches());
}

}  // namespace
}  // namespace uintah
