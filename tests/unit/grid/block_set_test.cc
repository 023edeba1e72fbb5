#include "grid/block_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/blocks_meeting.h"
#include "unit/grid/random_blocks.h"

namespace esker {
namespace {

using testing_support::blocks_meeting;
using testing_support::Random;
using testing_support::random_grid;

TEST(BlockRuns, AreNormalizedAndUnited) {
  EXPECT_EQ(normalized({{5, 7}, {0, 2}, {2, 3}, {6, 9}, {4, 4}}), (BlockRuns{{0, 3}, {5, 9}}));
  EXPECT_EQ(unite(BlockRuns{{0, 2}, {8, 9}}, BlockRuns{{1, 4}, {4, 5}, {9, 12}}),
            (BlockRuns{{0, 5}, {8, 12}}));
  EXPECT_EQ(unite({}, BlockRuns{{1, 2}}), (BlockRuns{{1, 2}}));
  EXPECT_TRUE(unite({}, {}).empty());
}

// Rank, select and membership against a sorted list of blocks.
TEST(BlockSet, AgreesWithAList) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    const BlockGrid grid = random_grid(random);
    std::vector<Index> listed;
    BlockRuns runs;
    for (Index ordinal = 0; ordinal < grid.num_existing(); ++ordinal) {
      if (round > 0 && random.in(0, 2) > 0) continue;
      listed.push_back(grid.nth_existing(ordinal));
      append_run(runs, {ordinal, ordinal + 1});
    }
    const BlockSet set(grid, runs);
    ASSERT_EQ(set.size(), std::ssize(listed));
    for (Index n = 0; n < set.size(); ++n) ASSERT_EQ(set.nth(n), listed[static_cast<std::size_t>(n)]);
    const Index first = random.in(0, set.size()), last = random.in(first, set.size());
    std::vector<Index> visited;
    set.for_each(first, last, [&](Index block) { visited.push_back(block); });
    ASSERT_EQ(visited, std::vector<Index>(listed.begin() + first, listed.begin() + last));
    for (Index block = 0; block <= grid.num_blocks(); ++block) {
      const auto at = std::lower_bound(listed.begin(), listed.end(), block);
      ASSERT_EQ(set.num_before(block), at - listed.begin());
      if (block < grid.num_blocks()) {
        ASSERT_EQ(set.contains(block), at != listed.end() && *at == block);
      }
    }
    Index samples = 0;
    for (const Index block : listed) samples += grid.lattice(block).indices_in(grid.box()).num_samples();
    EXPECT_EQ(set.num_samples(), samples);
  }
}

TEST(BlockSet, FindsTheBlocksThatMeetABox) {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    const BlockGrid grid = random_grid(random);
    const BlockRuns runs = blocks_meeting(grid, random.box_in(grid.box()));
    const BlockSet set(grid, runs);
    const Box box = random.box_in(grid.box());
    for (int level = grid.bits_per_block(); level <= grid.mask().max_level(); ++level) {
      std::set<Index> expected, found;
      grid.for_each_block_meeting(box, level, [&](Index b) {
        if (set.contains(b)) expected.insert(b);
      });
      set.for_each_block_meeting(box, level, [&](Index b) { EXPECT_TRUE(found.insert(b).second); });
      ASSERT_EQ(found, expected) << box.to_string() << " at level " << level;
    }
  }
}

TEST(BlockSet, OfLevelsIsOneRun) {
  const Box box{{0, 0, 0}, {300, 561, 61}};
  const BlockGrid grid(Bitmask::for_extent(3, box.hi).value(), 9, box);
  EXPECT_EQ(blocks_up_to(grid, grid.mask().max_level()), (BlockRuns{{0, grid.num_existing()}}));
  EXPECT_EQ(blocks_up_to(grid, 9), (BlockRuns{{0, 1}}));
  EXPECT_TRUE(blocks_up_to(grid, 8).empty());
  const BlockSet coarse(grid, blocks_up_to(grid, 15));
  EXPECT_EQ(coarse.runs().size(), 1u);
  EXPECT_EQ(coarse.num_samples(), grid.mask().samples_up_to(15).indices_in(box).num_samples());
}

// A set costs what it holds, in an index space of 2^60 samples.
TEST(BlockSet, OfFewBlocksInAHugeGrid) {
  Box box;
  box.rank = 3;
  for (int a = 0; a < 3; ++a) box.hi[a] = Index{1} << 20;
  const BlockGrid grid(Bitmask::for_extent(3, box.hi).value(), 15, box);
  const Box corner{{1000000, 5, 77777}, {1000040, 45, 77817}};
  const BlockSet set(grid, blocks_meeting(grid, corner));
  EXPECT_LT(set.size(), 600);
  Index visited = 0;
  for (int level = 15; level <= 60; ++level) {
    set.for_each_block_meeting(box, level, [&](Index) { ++visited; });
  }
  EXPECT_EQ(visited, set.size());
}

// Samples are counted run by run, not block by block.
TEST(BlockSet, CountsTheSamplesOfHugeRuns) {
  Box box;
  box.rank = 3;
  for (int a = 0; a < 3; ++a) box.hi[a] = (Index{1} << 20) - 5;
  const BlockGrid grid(Bitmask::for_extent(3, box.hi).value(), 1, box);
  const Index all = grid.num_existing();
  EXPECT_EQ(BlockSet(grid, {{0, all}}).num_samples(), box.num_samples());
  EXPECT_EQ(grid.num_samples_before(grid.num_blocks()), box.num_samples());
  for (const Index cut : {Index{1}, Index{12345}, all / 3, all - 1}) {
    const BlockSet below(grid, {{0, cut}}), above(grid, {{cut, all}});
    EXPECT_EQ(below.num_samples() + above.num_samples(), box.num_samples());
    EXPECT_LE(below.num_samples(), cut * grid.samples_per_block());
    EXPECT_LE(above.num_samples(), (all - cut) * grid.samples_per_block());
  }
}

}  // namespace
}  // namespace esker
