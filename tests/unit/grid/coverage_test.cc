#include "grid/coverage.h"

#include <gtest/gtest.h>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;

/// Cuts boxes of the list at random faces until there are `n` (or all are single samples).
std::vector<Box> random_tiling(const Box& domain, int n, Random& random) {
  std::vector<Box> boxes{domain};
  for (int tries = 0; static_cast<int>(boxes.size()) < n && tries < 50 * n; ++tries) {
    Box& box = boxes[random.in(0, static_cast<Index>(boxes.size()) - 1)];
    const int axis = static_cast<int>(random.in(0, domain.rank - 1));
    if (box.extent(axis) < 2) continue;
    Box upper = box;
    upper.lo[axis] = box.hi[axis] = random.in(box.lo[axis] + 1, box.hi[axis] - 1);
    boxes.push_back(upper);
  }
  std::shuffle(boxes.begin(), boxes.end(), random.engine());
  return boxes;
}

Box random_domain(Random& random, int rank) {
  const Point most{60, 15, 7, 4, 3};
  Box domain = Box::from_extent(rank, {1, 1, 1, 1, 1});
  for (int a = 0; a < rank; ++a) {
    domain.lo[a] = random.in(-5, 5);
    domain.hi[a] = domain.lo[a] + random.in(2, most[a]);
  }
  return domain;
}

/// The boxes that hold `p`, in order.
std::vector<int> owners(const std::vector<Box>& boxes, const Point& p) {
  std::vector<int> out;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].contains(p)) out.push_back(static_cast<int>(i));
  }
  return out;
}

void expect_real(const CoverageDefect& defect, const Box& domain, const std::vector<Box>& boxes) {
  ASSERT_FALSE(defect.where.empty());
  ASSERT_TRUE(domain.contains(defect.where));
  for (const Point& p : points_of(defect.where)) {
    const std::vector<int> holders = owners(boxes, p);
    if (defect.first < 0) {
      ASSERT_EQ(defect.second, -1);
      ASSERT_TRUE(holders.empty()) << "not a gap: " << defect.where.to_string();
    } else {
      ASSERT_LT(defect.first, defect.second);
      ASSERT_EQ(std::count(holders.begin(), holders.end(), defect.first), 1);
      ASSERT_EQ(std::count(holders.begin(), holders.end(), defect.second), 1);
    }
  }
}

bool covers_once(const Box& domain, const std::vector<Box>& boxes) {
  for (const Point& p : points_of(domain)) {
    if (owners(boxes, p).size() != 1) return false;
  }
  return true;
}

/// Expects a defect exactly if one exists, and a correct one.
void expect_right(const Box& domain, const std::vector<Box>& boxes) {
  const auto defect = find_coverage_defect(domain, boxes);
  ASSERT_EQ(defect.has_value(), !covers_once(domain, boxes)) << domain.to_string();
  if (!defect) return;
  ASSERT_NO_FATAL_FAILURE(expect_real(*defect, domain, boxes));
  const auto again = find_coverage_defect(domain, boxes);
  ASSERT_EQ(again->where, defect->where);
  ASSERT_EQ(again->first, defect->first);
  ASSERT_EQ(again->second, defect->second);
}

TEST(Coverage, TilingsAndDamagedTilings) {
  Random random(19);
  for (int i = 0; i < 200; ++i) {
    const Box domain = random_domain(random, 1 + i % 5);
    const std::vector<Box> tiling = random_tiling(domain, 1 + i % 30, random);
    ASSERT_EQ(find_coverage_defect(domain, tiling), std::nullopt);
    ASSERT_TRUE(covers_once(domain, tiling));
    const auto victim = random.in(0, static_cast<Index>(tiling.size()) - 1);

    std::vector<Box> removed = tiling;
    removed.erase(removed.begin() + victim);
    ASSERT_NO_FATAL_FAILURE(expect_right(domain, removed));
    ASSERT_EQ(find_coverage_defect(domain, removed)->first, -1);

    std::vector<Box> duplicated = tiling;
    duplicated.push_back(tiling[victim]);
    ASSERT_NO_FATAL_FAILURE(expect_right(domain, duplicated));
    const auto twice = find_coverage_defect(domain, duplicated);
    ASSERT_EQ(twice->first, victim);
    ASSERT_EQ(twice->second, static_cast<int>(tiling.size()));
    ASSERT_EQ(twice->where, tiling[victim]);

    std::vector<Box> shifted = tiling;
    const int axis = static_cast<int>(random.in(0, domain.rank - 1));
    ++shifted[victim].lo[axis], ++shifted[victim].hi[axis];
    ASSERT_NO_FATAL_FAILURE(expect_right(domain, shifted));
    ASSERT_NE(find_coverage_defect(domain, shifted), std::nullopt);
  }
}

TEST(Coverage, RandomBoxes) {
  Random random(20);
  for (int i = 0; i < 300; ++i) {
    const Box domain = Box::from_extent(1 + i % 3, {6, 5, 4});
    std::vector<Box> boxes;
    for (Index n = random.in(0, 8); n > 0; --n) boxes.push_back(random.box_in(domain));
    ASSERT_NO_FATAL_FAILURE(expect_right(domain, boxes));
  }
}

TEST(Coverage, EmptyBoxesCountForNothing) {
  const Box domain{{0, 0}, {4, 4}};
  EXPECT_EQ(find_coverage_defect(domain, {Box{{2, 2}, {2, 4}}, domain, Box{{0, 0}, {0, 0}}}), std::nullopt);
  EXPECT_EQ(find_coverage_defect(Box{{0}, {0}}, {}), std::nullopt);
  const auto gap = find_coverage_defect(domain, {Box{{2, 2}, {2, 4}}});
  ASSERT_TRUE(gap.has_value());
  EXPECT_EQ(gap->where, domain);
}

/// Whether two boxes share samples that are not the last ones of one of them and the first ones of the other.
bool share_inner_samples(const Box& a, const Box& b) {
  if (intersect(a, b).empty()) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.lo[axis] == b.lo[axis] && a.hi[axis] == b.hi[axis]) continue;
    if (a.hi[axis] - 1 == b.lo[axis] || b.hi[axis] - 1 == a.lo[axis]) return false;
  }
  return true;
}

TEST(Coverage, InnerOverlapsAreThoseOfMoreThanBorders) {
  Random random(22);
  int n_found = 0;
  for (int i = 0; i < 2000; ++i) {
    const Box domain = Box::from_extent(1 + i % 3, {6, 5, 4});
    std::vector<Box> boxes;
    for (Index n = random.in(0, 4); n > 0; --n) boxes.push_back(random.box_in(domain));
    bool any = false;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) any = any || share_inner_samples(boxes[a], boxes[b]);
    }
    const auto found = find_inner_overlap(boxes);
    ASSERT_EQ(found.has_value(), any);
    if (!found) continue;
    ++n_found;
    const Box& first = boxes[static_cast<std::size_t>(found->first)];
    const Box& second = boxes[static_cast<std::size_t>(found->second)];
    ASSERT_TRUE(share_inner_samples(first, second)) << first.to_string() << " " << second.to_string();
    ASSERT_EQ(found->where, intersect(first, second));
  }
  EXPECT_GT(n_found, 300);
  EXPECT_LT(n_found, 1700);
}

TEST(Coverage, BorderSamplesOfManyBoxesMayBeShared) {
  std::vector<Box> boxes;  // nodes of cells that tile
  Random random(23);
  for (Box box :
       random_tiling(Box::from_extent(3, {Index{1} << 20, Index{1} << 20, Index{1} << 20}), 10000, random)) {
    for (int a = 0; a < 3; ++a) ++box.hi[a];
    boxes.push_back(box);
  }
  EXPECT_EQ(find_inner_overlap(boxes), std::nullopt);
  ++boxes[5000].hi[1];
  EXPECT_NE(find_inner_overlap(boxes), std::nullopt);
  const Index far = Index{1} << 61;
  EXPECT_EQ(find_inner_overlap({Box{{0}, {far}}, Box{{far - 1}, {2 * far - 1}}}), std::nullopt);
  EXPECT_NE(find_inner_overlap({Box{{0}, {far}}, Box{{far - 2}, {2 * far - 1}}}), std::nullopt);
}

TEST(Coverage, OfManyBoxesIsFast) {
  const Box domain = Box::from_extent(3, {Index{1} << 20, Index{1} << 20, Index{1} << 20});
  Random random(21);
  std::vector<Box> boxes = random_tiling(domain, 10000, random);
  EXPECT_EQ(find_coverage_defect(domain, boxes), std::nullopt);
  --boxes[5000].hi[1];
  EXPECT_NE(find_coverage_defect(domain, boxes), std::nullopt);
}

}  // namespace
}  // namespace esker
