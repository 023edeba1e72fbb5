#include "grid/blocks.h"

#include <gtest/gtest.h>

#include "grid/hz.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::as_set;
using testing_support::BruteOrder;
using testing_support::for_random_masks;
using testing_support::points_of;
using testing_support::Random;

/// A random block size and grid box for a mask.
BlockGrid random_blocks(const Bitmask& mask, Random& random) {
  const int bits = static_cast<int>(random.in(0, mask.max_level()));
  Box box = random.box_in(mask.pow2_box());
  if (random.in(0, 2) == 0) box.lo = Point{};  // the common case
  return {mask, bits, box};
}

/// The points of every block, cut from the listed HZ order.
std::vector<std::vector<Point>> brute_blocks(const BruteOrder& order, int bits) {
  std::vector<std::vector<Point>> blocks(order.hz_order.size() >> bits);
  for (std::size_t hz = 0; hz < order.hz_order.size(); ++hz) blocks[hz >> bits].push_back(order.hz_order[hz]);
  return blocks;
}

int brute_level(const BruteOrder& order, const Point& p) {
  int level = 0;
  while (std::count(order.new_at_level[level].begin(), order.new_at_level[level].end(), p) == 0) ++level;
  return level;
}

TEST(Blocks, LatticesHoldTheSamplesOfTheirAddresses) {
  for_random_masks(13, 80, 11, [](const std::string& text, const Bitmask& mask, Random& random) {
    const BruteOrder order(text);
    const BlockGrid grid = random_blocks(mask, random);
    const auto blocks = brute_blocks(order, grid.bits_per_block());
    ASSERT_EQ(grid.num_blocks(), static_cast<Index>(blocks.size()));
    for (Index b = 0; b < grid.num_blocks(); ++b) {
      ASSERT_EQ(grid.samples_per_block(), static_cast<Index>(blocks[b].size()));
      ASSERT_EQ(as_set(points_of(grid.lattice(b))), as_set(blocks[b])) << "block " << b;
      for (const Point& p : blocks[b]) ASSERT_EQ(grid.block_of(p), b);
      const int level = b == 0 ? grid.bits_per_block() : brute_level(order, blocks[b].front());
      ASSERT_EQ(grid.level_of_block(b), level);
    }
  });
}

/// Whether the tile of a block meets the grid's box. All tiles of a level have the same shape and, shifted by
/// the level's origin, fill the pow2 box: so a tile is as long as the pow2 box over the number of different
/// block origins on the axis.
class BruteExistence {
 public:
  BruteExistence(const BruteOrder& order, const BlockGrid& grid) : box_(grid.box()) {
    const auto blocks = brute_blocks(order, grid.bits_per_block());
    for (const auto& points : blocks) {
      Point origin = points.front();
      for (const Point& p : points)
        for (int a = 0; a < kMaxRank; ++a) origin[a] = std::min(origin[a], p[a]);
      origins_.push_back(origin);
    }
    pow2_ = grid.mask().pow2_box();
  }

  [[nodiscard]] bool exists(Index block) const {
    if (block == 0) return true;
    Index first = 1;  // blocks of a level: [first, 2 first)
    while (2 * first <= block) first *= 2;
    for (int a = 0; a < box_.rank; ++a) {
      std::set<Index> different;
      for (Index b = first; b < 2 * first; ++b) different.insert(origins_[b][a]);
      const Index length = pow2_.hi[a] / static_cast<Index>(different.size());
      const Index lo = origins_[block][a];
      if (lo >= box_.hi[a] || lo + length <= box_.lo[a]) return false;
    }
    return true;
  }

  /// Blocks ascending by tile, x fastest.
  [[nodiscard]] bool tile_before(Index a, Index b) const {
    for (int axis = kMaxRank - 1; axis >= 0; --axis) {
      if (origins_[a][axis] != origins_[b][axis]) return origins_[a][axis] < origins_[b][axis];
    }
    return false;
  }

 private:
  Box box_;
  Box pow2_;
  std::vector<Point> origins_;
};

TEST(Blocks, ExistCountAndOrdinalAgreeWithBruteForce) {
  for_random_masks(14, 150, 10, [](const std::string& text, const Bitmask& mask, Random& random) {
    const BlockGrid grid = random_blocks(mask, random);
    SCOPED_TRACE(grid.box().to_string() + " bits " + std::to_string(grid.bits_per_block()));
    const BruteExistence brute(BruteOrder(text), grid);
    Index before = 0;
    for (Index b = 0; b < grid.num_blocks(); ++b) {
      ASSERT_EQ(grid.exists(b), brute.exists(b)) << "block " << b;
      ASSERT_EQ(grid.num_existing_before(b), before) << "block " << b;
      if (!brute.exists(b)) continue;
      ASSERT_EQ(grid.nth_existing(before), b);
      ++before;
    }
    ASSERT_EQ(grid.num_existing(), before);
  });
}

TEST(Blocks, OfAWholeHalfAreConsecutive) {
  const Bitmask mask = Bitmask::parse("V010101").value();
  const BlockGrid grid(mask, 0, {{0, 0}, {6, 8}});  // of 8 x 8 samples
  const Index finest = grid.existing_at(6).before;
  EXPECT_EQ(grid.existing_from(finest).last - grid.existing_from(finest).first, 16) << "half of the axis";
  EXPECT_EQ(grid.existing_from(finest + 3).last - grid.existing_from(finest + 3).first, 13);
}

TEST(Blocks, OfBoxesFromTheOriginExistWhenTheyHoldASample) {
  for_random_masks(15, 60, 11, [](const std::string& text, const Bitmask& mask, Random& random) {
    Box box = random.box_in(mask.pow2_box());
    box.lo = Point{};
    const BlockGrid grid(mask, static_cast<int>(random.in(0, mask.max_level())), box);
    const auto blocks = brute_blocks(BruteOrder(text), grid.bits_per_block());
    for (Index b = 0; b < grid.num_blocks(); ++b) {
      const bool has_sample =
          std::any_of(blocks[b].begin(), blocks[b].end(), [&](const Point& p) { return box.contains(p); });
      ASSERT_EQ(grid.exists(b), has_sample) << "block " << b;
    }
  });
}

std::vector<Index> blocks_meeting(const BlockGrid& grid, const Box& box, int level) {
  std::vector<Index> found;
  grid.for_each_block_meeting(box, level, [&](Index b) { found.push_back(b); });
  return found;
}

/// The blocks of `level` that for_each_block_meeting must visit, in its order.
std::vector<Index> brute_meeting(const std::vector<std::vector<Point>>& blocks,
                                 const std::vector<int>& levels, const BruteExistence& brute,
                                 const Box& query, int level) {
  std::vector<Index> out;
  for (Index b = 0; b < static_cast<Index>(blocks.size()); ++b) {
    if (levels[b] != level || !brute.exists(b)) continue;
    const auto inside = [&](const Point& p) { return query.contains(p); };
    if (std::any_of(blocks[b].begin(), blocks[b].end(), inside)) out.push_back(b);
  }
  std::sort(out.begin(), out.end(), [&](Index a, Index b) { return brute.tile_before(a, b); });
  return out;
}

TEST(Blocks, MeetingABoxAreTheExistingOnesWithASampleInIt) {
  for_random_masks(16, 150, 9, [](const std::string& text, const Bitmask& mask, Random& random) {
    const BlockGrid grid = random_blocks(mask, random);
    const BruteOrder order(text);
    const BruteExistence brute(order, grid);
    const auto blocks = brute_blocks(order, grid.bits_per_block());
    std::vector<int> levels{grid.bits_per_block()};
    for (std::size_t b = 1; b < blocks.size(); ++b) levels.push_back(brute_level(order, blocks[b].front()));
    Box around = mask.pow2_box();  // queries may stick out
    for (int a = 0; a < mask.rank(); ++a) around.lo[a] -= 2, around.hi[a] += 2;
    for (int i = 0; i < 5; ++i) {
      const Box query = random.box_in(i % 2 == 0 ? around : grid.box());
      SCOPED_TRACE(query.to_string() + " of " + grid.box().to_string());
      for (int level = grid.bits_per_block(); level <= mask.max_level(); ++level) {
        ASSERT_EQ(blocks_meeting(grid, query, level), brute_meeting(blocks, levels, brute, query, level));
      }
    }
  });
}

TEST(Blocks, NoneMeetAnEmptyBox) {
  const BlockGrid grid(Bitmask::parse("V010101").value(), 2, Box{{0, 0}, {8, 8}});
  for (int level = 2; level <= 6; ++level) {
    EXPECT_TRUE(blocks_meeting(grid, Box{{3, 3}, {3, 8}}, level).empty());
    EXPECT_TRUE(blocks_meeting(grid, Box{{0, 6}, {8, 2}}, level).empty());
    EXPECT_TRUE(blocks_meeting(grid, Box{{8, 0}, {99, 8}}, level).empty());
  }
}

TEST(Blocks, CountsOfLargeMasksAreConsistent) {
  for_random_masks(17, 150, 62, [](const std::string&, const Bitmask& mask, Random& random) {
    const BlockGrid grid = random_blocks(mask, random);
    for (int i = 0; i < 20; ++i) {
      const Index b = random.in(0, grid.num_blocks() - 1);
      const Index before = grid.num_existing_before(b);
      ASSERT_EQ(grid.num_existing_before(b + 1) - before, grid.exists(b) ? 1 : 0) << "block " << b;
      const Index nth = random.in(0, grid.num_existing() - 1);
      const auto [block, end] = grid.existing_from(nth);
      ASSERT_EQ(grid.nth_existing(nth), block);
      ASSERT_TRUE(grid.exists(block));
      ASSERT_EQ(grid.num_existing_before(block), nth);
      ASSERT_LT(block, end);
      ASSERT_EQ(grid.num_existing_before(end), nth + end - block) << "a block of " << block << " ... " << end;
    }
  });
}

TEST(Blocks, LargeMasksVisitTheBlockOfASample) {
  for_random_masks(18, 150, 62, [](const std::string&, const Bitmask& mask, Random& random) {
    const BlockGrid grid = random_blocks(mask, random);
    for (int i = 0; i < 20; ++i) {
      const Point p = random.point_in(grid.box());
      Box one(mask.rank(), p, p);
      for (int a = 0; a < mask.rank(); ++a) ++one.hi[a];
      const Index block = grid.block_of(p);
      ASSERT_TRUE(grid.exists(block));
      ASSERT_FALSE(grid.lattice(block).indices_in(one).empty());
      for (int level = grid.bits_per_block(); level <= mask.max_level(); ++level) {
        const bool mine = level == grid.level_of_block(block);
        ASSERT_EQ(blocks_meeting(grid, one, level), mine ? std::vector<Index>{block} : std::vector<Index>{});
      }
    }
  });
}

TEST(Blocks, TheLargestGridExistsAsAWhole) {
  for (const char* digits : {"0", "01", "012", "01234"}) {
    std::string text = "V";
    for (int i = 0; i < 62; ++i) text += digits[static_cast<std::size_t>(i) % std::string(digits).size()];
    const Bitmask mask = Bitmask::parse(text).value();
    const BlockGrid grid(mask, 0, mask.pow2_box());
    EXPECT_EQ(grid.num_existing(), Index{1} << 62);
    EXPECT_EQ(grid.nth_existing((Index{1} << 62) - 1), (Index{1} << 62) - 1);
    EXPECT_TRUE(grid.exists((Index{1} << 62) - 1));
  }
}

}  // namespace
}  // namespace esker
