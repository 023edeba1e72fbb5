#include "grid/hybrid_blocks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "grid/hz.h"
#include "grid/points.h"
#include "unit/grid/random_blocks.h"

namespace esker {
namespace {

using testing_support::Random;

TEST(HybridBlocks, KnownAnswer) {
  for (Index p = 0; p < 4; ++p) {
    EXPECT_EQ(hybrid_block(4, {p, 0}), p);
    EXPECT_EQ(hybrid_block(4, {p, 1}), 4 + p);
    EXPECT_EQ(hybrid_block(4, {p, 2}), 8 + 2 * p);
    EXPECT_EQ(hybrid_block(4, {p, 3}), 9 + 2 * p);
  }
}

TEST(HybridBlocks, EveryBlockHasOnePlace) {
  for (const Index n : {1, 2, 4, 8, 64}) {
    for (const Index in_brick : {1, 2, 4, 16}) {
      std::set<Index> used;
      for (Index p = 0; p < n; ++p) {
        for (Index j = 0; j < in_brick; ++j) {
          const Index block = hybrid_block(n, {p, j});
          EXPECT_LT(block, n * in_brick);
          EXPECT_TRUE(used.insert(block).second);
          EXPECT_EQ(block_of_brick(n, block), (BlockOfBrick{p, j}));
        }
      }
    }
  }
}

/// 8 x 8, P = 4, blocks of 4 samples.
BlockGrid example() { return {Bitmask::parse("V010101").value(), 2, Box::from_extent(2, {8, 8}), 2}; }

TEST(HybridBlocks, OnlyTheFirstBlocksOfTheExampleAreMixed) {
  const BlockGrid hybrid = example();
  const BlockGrid global(hybrid.mask(), 2, hybrid.box());
  ASSERT_TRUE(global.can_have_bricks(2));
  std::vector<std::set<Index>> bricks(16);  // of the samples in each global block
  for_each_index_point(hybrid.box(), [&](const Point& p) {
    const Index brick = p[0] / 4 * 2 + p[1] / 4;
    bricks[static_cast<std::size_t>(global.block_of(p))].insert(brick);
    EXPECT_EQ(block_of_brick(4, hybrid.block_of(p)).brick, brick);
  });
  for (std::size_t b = 0; b < 16; ++b) EXPECT_EQ(bricks[b].size() > 1, b < 4) << b;
}

/// A grid that can have bricks, and so many digits of them.
BlockGrid random_hybrid_grid(Random& random) {
  for (;;) {
    const BlockGrid grid = testing_support::random_grid(random);
    const auto digits = static_cast<int>(random.in(0, 5));
    if (grid.can_have_bricks(digits)) return {grid.mask(), grid.bits_per_block(), grid.box(), digits};
  }
}

Box only(const Point& p, int rank) {
  Box box{rank, p, p};
  for (int a = 0; a < rank; ++a) ++box.hi[a];
  return box;
}

// Against the HZ addresses in the bricks.
TEST(HybridBlocks, BlocksAreThoseOfTheBricks) {
  Random random(51);
  for (int round = 0; round < 200; ++round) {
    const BlockGrid hybrid = random_hybrid_grid(random);
    const Bitmask& mask = hybrid.mask();
    const int digits = hybrid.brick_digits(), inside = mask.max_level() - digits;
    const BlockGrid global(mask, hybrid.bits_per_block(), hybrid.box());
    ASSERT_EQ(hybrid.num_existing(), global.num_existing());
    std::vector<Index> counts(static_cast<std::size_t>(hybrid.num_blocks()));
    for_each_index_point(hybrid.box(), [&](const Point& p) {
      const Index z = z_from_point(mask, p);
      const Index brick = z >> inside;
      const Index z_inside = z & ((Index{1} << inside) - 1);
      const Index marked = z_inside | Index{1} << inside;
      const Index hz = marked >> (std::countr_zero(static_cast<std::uint64_t>(marked)) + 1);
      const Index block = hybrid_block(Index{1} << digits, {brick, hz >> hybrid.bits_per_block()});
      ASSERT_EQ(hybrid.block_of(p), block);
      ASSERT_FALSE(hybrid.lattice(block).indices_in(only(p, hybrid.box().rank)).empty());
      ASSERT_TRUE(hybrid.exists(block));
      ASSERT_TRUE(block < hybrid.num_first_blocks() || global.block_of(p) == block);
      ++counts[static_cast<std::size_t>(block)];
    });
    Index samples = 0, existing = 0;
    for (Index b = 0; b < hybrid.num_blocks(); ++b) {
      ASSERT_EQ(hybrid.num_samples_before(b), samples);
      ASSERT_EQ(hybrid.num_existing_before(b), existing);
      ASSERT_EQ(hybrid.exists(b), global.exists(b));
      ASSERT_EQ(hybrid.lattice(b).num_samples(), hybrid.samples_per_block());
      ASSERT_EQ(hybrid.lattice(b).indices_in(hybrid.box()).num_samples(),
                counts[static_cast<std::size_t>(b)]);
      if (hybrid.exists(b)) {
        ASSERT_EQ(hybrid.nth_existing(existing++), b);
      }
      samples += counts[static_cast<std::size_t>(b)];
    }
  }
}

TEST(HybridBlocks, QueriesFindTheBlocksOfABox) {
  Random random(52);
  for (int round = 0; round < 200; ++round) {
    const BlockGrid hybrid = random_hybrid_grid(random);
    Box box = hybrid.box();
    for (int a = 0; a < box.rank; ++a) {
      box.lo[a] = random.in(0, box.hi[a] - 1);
      box.hi[a] = random.in(box.lo[a] + 1, box.hi[a]);
    }
    std::set<Index> expected, found, found_of_set;
    for_each_index_point(box, [&](const Point& p) { expected.insert(hybrid.block_of(p)); });
    for (int level = hybrid.coarsest_level(); level <= hybrid.mask().max_level(); ++level) {
      hybrid.for_each_block_meeting(box, level, [&](Index block) {
        EXPECT_EQ(hybrid.level_of_block(block), level);
        EXPECT_TRUE(found.insert(block).second);
      });
      hybrid.for_each_block_meeting(
          box, level, [](Index, Index) { return true; }, [&](Index block) { found_of_set.insert(block); });
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found_of_set, expected);
  }
}

TEST(HybridBlocks, BricksNeedABlockAndASampleEach) {
  const Bitmask mask = Bitmask::parse("V010101").value();
  EXPECT_TRUE(BlockGrid(mask, 2, Box::from_extent(2, {8, 8})).can_have_bricks(4));
  EXPECT_FALSE(BlockGrid(mask, 2, Box::from_extent(2, {8, 8})).can_have_bricks(5));  // bricks of 2 samples
  EXPECT_TRUE(BlockGrid(mask, 2, Box::from_extent(2, {7, 6})).can_have_bricks(2));
  EXPECT_FALSE(BlockGrid(mask, 2, Box::from_extent(2, {8, 4})).can_have_bricks(2));  // empty bricks
  EXPECT_FALSE(BlockGrid(mask, 1, Box::from_extent(2, {5, 8})).can_have_bricks(2));  // no global block 3
}

}  // namespace
}  // namespace esker
