#include "grid/order.h"

#include <gtest/gtest.h>

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

TEST(Order, BlocksOfABigGrid) {
  const Bitmask mask = Bitmask::for_extent(3, {1 << 20, 1 << 20, 1 << 20}).value();
  const SampleOrder order = hz_order_in_block(mask, 15, 60);
  EXPECT_EQ(order.at({31, 31, 31}), (1 << 15) - 1);
  EXPECT_EQ(order.at({32, 0, 0}), 0) << "there is no such index";
}

}  // namespace
}  // namespace esker
