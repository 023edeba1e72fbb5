// Boxes with levels are divided into parts of one level, against brute force.
#include "adaptive/level_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "adaptive/count_primary.h"
#include "grid/points.h"

namespace esker {
namespace {

Box random_box(const Box& grid, std::mt19937& random) {
  Box box = grid;
  for (int a = 0; a < grid.rank; ++a) {
    box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(grid.hi[a]));
    box.hi[a] = std::min(grid.hi[a], box.lo[a] + static_cast<Index>(random() % 9));
  }
  return box;
}

std::vector<LevelBox> random_boxes(const Box& grid, unsigned n, std::mt19937& random) {
  std::vector<LevelBox> boxes;
  while (n-- > 0) boxes.push_back({random_box(grid, random), static_cast<KeptLevel>(random() % 12)});
  return boxes;
}

TEST(LevelParts, HaveEachSampleOnceAtItsFinestLevel) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const Box grid = Box::from_extent(1 + round % 3, {11, 9, 7, 1, 1});
    const std::vector<LevelBox> boxes = random_boxes(grid, random() % 12, random);
    const Box region = random_box(grid, random);
    std::map<Point, int> found;
    for_each_level_part(region, boxes, [&](const Box& part, KeptLevel level) {
      EXPECT_TRUE(region.contains(part));
      for_each_index_point(part, [&](const Point& p) { EXPECT_TRUE(found.emplace(p, level).second); });
    });
    for_each_index_point(region, [&](const Point& p) {
      int finest = kNotKept;
      for (const LevelBox& level_box : boxes) {
        if (level_box.box.contains(p)) finest = std::max<int>(finest, level_box.level);
      }
      const auto at = found.find(p);
      EXPECT_EQ(at == found.end() ? kNotKept : at->second, finest);
    });
  }
}

// A lattice of boxes, every second one missing, is divided along their faces only.
TEST(LevelParts, FollowTheBoxes) {
  std::vector<LevelBox> boxes;
  for_each_index_point(Box::from_extent(3, {20, 20, 20, 1, 1}), [&](const Point& p) {
    if ((p[0] + p[1] + p[2]) % 2 != 0) return;
    Box box(3, p, p);
    for (int a = 0; a < 3; ++a) box.lo[a] *= 1000, box.hi[a] = box.lo[a] + 1000;
    boxes.push_back({box, 7});
  });
  Index parts = 0, samples = 0;
  for_each_level_part(Box::from_extent(3, {20000, 20000, 20000, 1, 1}), boxes,
                      [&](const Box& part, KeptLevel) {
                        ++parts;
                        samples += part.num_samples();
                      });
  EXPECT_EQ(parts, 4000);
  EXPECT_EQ(samples, 4000 * Index{1000} * 1000 * 1000);
}

TEST(PartsOutside, HaveTheOtherSamplesOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const Box grid = Box::from_extent(1 + round % 3, {11, 9, 7, 1, 1});
    const std::vector<LevelBox> boxes = random_boxes(grid, random() % 6, random);
    const Box region = random_box(grid, random);
    std::map<Point, int> found;
    for_each_part_outside(region, boxes, [&](const Box& part) {
      EXPECT_TRUE(region.contains(part));
      for_each_index_point(part, [&](const Point& p) { ++found[p]; });
    });
    for_each_index_point(region, [&](const Point& p) {
      const bool is_inside = std::any_of(
          boxes.begin(), boxes.end(), [&](const LevelBox& level_box) { return level_box.box.contains(p); });
      EXPECT_EQ(found[p], is_inside ? 0 : 1);
    });
  }
}

// Faces of fine boxes, which may be between cells of the region, do not divide it if coarser boxes cover
// them.
TEST(PartsOutside, AreDividedAlongTheCoarsestBoxes) {
  const auto box = [](Index lo, Index hi) { return Box(2, {lo, lo, 0, 0, 0}, {hi, hi, 1, 1, 1}); };
  const auto tile = [](Index x, Index y) { return Box(2, {x, y, 0, 0, 0}, {x + 16, y + 16, 1, 1, 1}); };
  const std::vector<LevelBox> boxes{{box(31, 33), 3},  {box(28, 36), 2},  {tile(16, 16), 1},
                                    {tile(32, 16), 1}, {tile(16, 32), 1}, {tile(32, 32), 1}};
  Index samples = 0;
  for_each_part_outside(box(0, 64), boxes, [&](const Box& part) {
    for (int a = 0; a < part.rank; ++a) EXPECT_TRUE(part.lo[a] % 16 == 0 && part.hi[a] % 16 == 0);
    samples += part.num_samples();
  });
  EXPECT_EQ(samples, 64 * 64 - 32 * 32);
}

// The same blocks and numbers as sample by sample.
TEST(CountPrimary, OfBoxesIsThatOfSamples) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Box grid = Box::from_extent(1 + round % 3, {29, 21, 18, 1, 1});
    const Bitmask mask = Bitmask::longest_first(grid.rank, grid.hi).value();
    const BlockGrid blocks(mask, 1 + static_cast<int>(random() % 5), grid);
    LevelRules rules;
    if (round % 4 == 0) rules.everywhere = static_cast<KeptLevel>(random() % 4);
    for (LevelBox& box : random_boxes(grid, random() % 6, random)) {
      box.level = static_cast<KeptLevel>(random() % static_cast<unsigned>(mask.max_level() + 1));
      if (!box.box.empty()) rules.boxes.push_back(box);
    }
    const MarkedBlocks by_parts = count_primary({&blocks, 1}, rules, {}, {&grid, 1}).front();
    BlockMarks marks(blocks, rules.everywhere);
    const std::vector<LevelPatch> none;
    LevelMap map(grid, rules, none);
    marks.add(grid, map.levels(grid));
    EXPECT_EQ(by_parts.runs, marks.take_runs());
    const int everywhere = std::max<int>(rules.everywhere, blocks.bits_per_block());
    const Index num_everywhere =
        rules.everywhere == kNotKept ? 0 : mask.samples_up_to(everywhere).indices_in(grid).num_samples();
    EXPECT_EQ(by_parts.num_primary, marks.num_primary() + num_everywhere);
  }
}

}  // namespace
}  // namespace esker
