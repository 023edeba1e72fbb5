#include "grid/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "grid/blocks.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::BruteOrder;
using testing_support::for_random_masks;
using testing_support::points_of;
using testing_support::Random;

TEST(Order, RowMajorCountsWithXFastest) {
  Random random(10);
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    Point count{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) count[a] = random.in(1, 6);
    const SampleOrder order = row_major_order(rank, count);
    Index position = 0;
    for (const Point& index : points_of(Box::from_extent(rank, count))) {
      ASSERT_EQ(order.at(index), position++);
    }
  }
}

TEST(Order, HzInBlockIsTheAddressLessThatOfTheBlock) {
  for_random_masks(11, 60, 12, [](const std::string& text, const Bitmask& mask, Random& random) {
    const BruteOrder brute(text);
    const int bits = static_cast<int>(random.in(0, mask.max_level()));
    const BlockGrid blocks(mask, bits, mask.pow2_box());
    for (Index b = 1; b < blocks.num_blocks(); ++b) {
      const SampleOrder order = hz_order_in_block(mask, bits, blocks.level_of_block(b));
      const Lattice lattice = blocks.lattice(b);
      for (const Point& index : points_of(lattice.all_indices())) {
        ASSERT_EQ(order.at(index), brute.hz.at(lattice.point(index)) - (b << bits)) << "block " << b;
      }
    }
  });
}

TEST(Order, HzInLevelIsTheAddressLessTheFirst) {
  for_random_masks(12, 60, 12, [](const std::string& text, const Bitmask& mask, Random&) {
    const BruteOrder brute(text);
    Index first = 0;
    for (int level = 0; level <= mask.max_level(); ++level) {
      const SampleOrder order = hz_order_in_level(mask, level);
      const Lattice lattice = mask.samples_new_at(level);
      for (const Point& index : points_of(lattice.all_indices())) {
        ASSERT_EQ(order.at(index), brute.hz.at(lattice.point(index)) - first) << "level " << level;
      }
      first += lattice.num_samples();
    }
  });
}

/// By the positions themselves.
Index count_runs(const SampleOrder& order, const Box& indices) {
  std::set<Index> positions;
  for (const Point& index : points_of(indices)) positions.insert(order.at(index));
  return std::ranges::count_if(positions, [&](Index p) { return !positions.contains(p - 1); });
}

Box random_part(const Box& all, Random& random) {
  Box part = all;
  for (int a = 0; a < all.rank; ++a) {
    part.lo[a] = random.in(all.lo[a], all.hi[a] - 1);
    part.hi[a] = random.in(part.lo[a] + 1, all.hi[a]);
    if (random.in(0, 2) == 0) part.lo[a] = all.lo[a], part.hi[a] = all.hi[a];
  }
  return part;
}

TEST(Order, CountsTheRunsOfPartsOfBlocks) {
  for_random_masks(13, 200, 12, [](const std::string&, const Bitmask& mask, Random& random) {
    const int level = static_cast<int>(random.in(1, mask.max_level()));
    const int bits = static_cast<int>(random.in(0, level - 1));
    const SampleOrder order = hz_order_in_block(mask, bits, level);
    const Lattice lattice = BlockGrid(mask, bits, mask.pow2_box()).lattice(Index{1} << (level - bits - 1));
    const Box part = random_part(lattice.all_indices(), random);
    ASSERT_EQ(num_runs(order, part), count_runs(order, part)) << part.to_string();
  });
}

TEST(Order, CountsTheRunsOfPartsOfRows) {
  Random random(14);
  for (int i = 0; i < 200; ++i) {
    const int rank = static_cast<int>(random.in(1, kMaxRank));
    Point count{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) count[a] = random.in(1, 5);
    const Box part = random_part(Box::from_extent(rank, count), random);
    const SampleOrder order = row_major_order(rank, count);
    ASSERT_EQ(num_runs(order, part), count_runs(order, part)) << part.to_string();
  }
  EXPECT_EQ(num_runs(row_major_order(1, {5}), Box::from_extent(1, {0})), 0);
}

TEST(Order, BlocksOfABigGrid) {
  const Bitmask mask = Bitmask::for_extent(3, {1 << 20, 1 << 20, 1 << 20}).value();
  const SampleOrder order = hz_order_in_block(mask, 15, 60);
  EXPECT_EQ(order.at({31, 31, 31}), (1 << 15) - 1);
  EXPECT_EQ(order.at({32, 0, 0}), 0) << "there is no such index";
}

}  // namespace
}  // namespace esker
