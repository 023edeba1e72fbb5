#include "grid/tile_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "grid/hz.h"
#include "grid/points.h"
#include "unit/grid/random_blocks.h"

namespace esker {
namespace {

using testing_support::Random;
using testing_support::random_grid;

/// Samples of the grid in each tile of `digits` digits.
std::vector<Index> count_samples(const BlockGrid& blocks, int digits) {
  std::vector<Index> counts(std::size_t{1} << digits);
  for_each_index_point(blocks.box(), [&](const Point& p) {
    const Index z = z_from_point(blocks.mask(), p);
    ++counts[static_cast<std::size_t>(z >> (blocks.mask().max_level() - digits))];
  });
  return counts;
}

/// The least largest partition of tiles with these samples, each border next to its ideal place.
double largest_of(const std::vector<Index>& counts, Index total, int n) {
  std::vector<Index> borders{0};
  for (int p = 1; p < n; ++p) {
    const Index wanted = total * p / n;
    Index before = 0, best = 0;
    for (const Index count : counts) {
      before += count;
      if (std::abs(before - wanted) < std::abs(best - wanted)) best = before;
    }
    borders.push_back(best);
  }
  borders.push_back(total);
  Index most = 0;
  for (std::size_t p = 1; p < borders.size(); ++p) most = std::max(most, borders[p] - borders[p - 1]);
  return static_cast<double>(most);
}

// Against the Z addresses of all samples.
TEST(TileCut, BlocksFromTheFirstTileOnLieInOnePartition) {
  Random random(31);
  for (int round = 0; round < 60; ++round) {
    const BlockGrid blocks = random_grid(random);
    const int n = static_cast<int>(random.in(1, 9));
    const TileCut cut(blocks, n);
    ASSERT_EQ(cut.num_partitions(), n);
    std::map<int, Index> samples;
    for_each_index_point(blocks.box(), [&](const Point& p) {
      const int partition = cut.partition_of_point(p);
      ++samples[partition];
      const Index block = blocks.block_of(p);
      const int of_block = cut.partition_of_block(block);
      ASSERT_EQ(of_block, block < cut.num_coarse_blocks() ? -1 : partition);
    });
    for (int p = 0; p < n; ++p) EXPECT_EQ(cut.num_samples(p), samples[p]) << p;
  }
}

// As many partitions as bricks are these, without a coarse part; so are unions of bricks. Otherwise the first
// blocks are the coarse part.
TEST(TileCut, FirstBlocksOfBricksLieInTheirPartition) {
  Random random(33);
  for (int round = 0, found = 0; found < 60; ++round) {
    const BlockGrid global = random_grid(random);
    const auto digits = static_cast<int>(random.in(1, 4));
    if (!global.can_have_bricks(digits)) continue;
    ++found;
    const BlockGrid blocks(global.mask(), global.bits_per_block(), global.box(), digits);
    const int n = random.in(0, 1) ? 1 << digits : static_cast<int>(random.in(1, 9));
    const TileCut cut(blocks, n);
    if (n == 1 << digits) {
      EXPECT_EQ(cut.digits(), digits);
      EXPECT_EQ(cut.num_coarse_blocks(), 0);
    }
    std::map<Index, int> listed;
    for (int p = 0; p < n; ++p) {
      for (const BlockRange& range : cut.blocks_of(p)) {
        for (Index b = range.first; b < range.last; ++b) ASSERT_TRUE(listed.emplace(b, p).second) << b;
      }
    }
    for (Index b = 0; b < blocks.num_blocks(); ++b) {
      const auto partition = listed.find(b);
      ASSERT_EQ(cut.partition_of_block(b), partition == listed.end() ? -1 : partition->second) << b;
      ASSERT_EQ(partition == listed.end(), b < cut.num_coarse_blocks()) << b;
      ASSERT_TRUE(blocks.level_of_block(b) < cut.end_of_coarse_levels() || b >= cut.num_coarse_blocks());
    }
    for_each_index_point(blocks.box(), [&](const Point& p) {
      const int partition = cut.partition_of_block(blocks.block_of(p));
      ASSERT_TRUE(partition < 0 || partition == cut.partition_of_point(p));
    });
  }
}

TEST(TileCut, RangesOfBlocksAreThoseOfThePartition) {
  Random random(32);
  for (int round = 0; round < 60; ++round) {
    const BlockGrid blocks = random_grid(random);
    const TileCut cut(blocks, static_cast<int>(random.in(1, 9)));
    std::map<Index, int> listed;
    for (int p = 0; p < cut.num_partitions(); ++p) {
      Index end = 0;
      for (const BlockRange& range : cut.blocks_of(p)) {
        EXPECT_GE(range.first, end);  // ascending
        end = range.last;
        for (Index b = range.first; b < range.last; ++b) EXPECT_TRUE(listed.emplace(b, p).second);
      }
    }
    for (Index b = 0; b < blocks.num_blocks(); ++b) {
      const auto found = listed.find(b);
      EXPECT_EQ(found == listed.end() ? -1 : found->second, cut.partition_of_block(b)) << b;
      EXPECT_EQ(found == listed.end(), b < cut.num_coarse_blocks()) << b;
    }
  }
}

TEST(TileCut, DigitsAreTheLeastThatBalance) {
  Random random(33);
  for (int round = 0; round < 60; ++round) {
    const BlockGrid blocks = random_grid(random);
    const int n = static_cast<int>(random.in(1, 9));
    const TileCut cut(blocks, n);
    const Index total = blocks.box().num_samples();
    const int most = std::max(0, blocks.mask().max_level() - blocks.bits_per_block() - 1);
    for (int s = 0; s <= most; ++s) {
      if (1 << s < n && s < most) continue;
      const bool balances = largest_of(count_samples(blocks, s), total, n) <= 1.25 * double(total) / n;
      if (s == cut.digits()) break;
      EXPECT_FALSE(balances && s < cut.digits()) << s;
    }
    Index largest = 0;
    for (int p = 0; p < n; ++p) largest = std::max(largest, cut.num_samples(p));
    EXPECT_EQ(double(largest), largest_of(count_samples(blocks, cut.digits()), total, n));
  }
}

TEST(TileCut, PartitionsOfACubeAreItsOctants) {
  const Box cube{3, {}, {64, 64, 64}};
  const BlockGrid blocks(Bitmask::longest_first(3, cube.hi).value(), 12, cube);
  const TileCut cut(blocks, 8);
  EXPECT_EQ(cut.digits(), 3);
  for (int p = 0; p < 8; ++p) EXPECT_EQ(cut.num_samples(p), 32 * 32 * 32);
  EXPECT_EQ(cut.blocks_of(5), (std::vector<BlockRange>{{13, 14}, {26, 28}, {52, 56}}));
  EXPECT_EQ(TileCut(blocks, 1).blocks_of(0),
            (std::vector<BlockRange>{{1, 2}, {2, 4}, {4, 8}, {8, 16}, {16, 32}, {32, 64}}));
}

TEST(TileCut, DividesAPartitionInTheSameWay) {
  const Box cube{3, {}, {64, 64, 64}};
  const BlockGrid blocks(Bitmask::longest_first(3, cube.hi).value(), 12, cube);
  const TileCut cut(blocks, 2), within = cut.within(1, 4);
  EXPECT_EQ(within.digits(), 3);
  EXPECT_EQ(within.partition_of_block(8), -1);
  EXPECT_EQ(within.partition_of_block(13), 1);
  EXPECT_EQ(cut.blocks_of(1, 3), (std::vector<BlockRange>{{3, 4}, {6, 8}}));
  EXPECT_EQ(within.partition_of_point({0, 0, 0}), -1);
  EXPECT_EQ(within.partition_of_point({63, 63, 63}), 3);
}

// More partitions than tiles, and grids that are one block.
TEST(TileCut, PartitionsMayBeEmpty) {
  const Box box{2, {}, {8, 8}};
  const BlockGrid one(Bitmask::for_extent(2, box.hi).value(), 6, box);
  const TileCut cut(one, 3);
  EXPECT_EQ(cut.digits(), 0);
  Index samples = 0;
  for (int p = 0; p < 3; ++p) samples += cut.num_samples(p);
  EXPECT_EQ(samples, 64);
  EXPECT_EQ(cut.partition_of_block(0), -1);
  const BlockGrid two(Bitmask::for_extent(2, box.hi).value(), 5, box);
  EXPECT_EQ(TileCut(two, 16).num_partitions(), 16);
}

}  // namespace
}  // namespace esker
