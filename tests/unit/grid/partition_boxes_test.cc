#include "grid/partition_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "grid/hz.h"
#include "grid/points.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::Random;

struct Case {
  Bitmask mask;
  Box box;
  int n_partitions = 1;
};

Case random_case(Random& random) {
  Case made;
  made.box.rank = static_cast<int>(random.in(1, 3));
  for (int a = 0; a < made.box.rank; ++a) made.box.hi[a] = random.in(1, made.box.rank < 3 ? 60 : 17);
  made.mask = random.in(0, 1) ? Bitmask::for_extent(made.box.rank, made.box.hi).value()
                              : Bitmask::longest_first(made.box.rank, made.box.hi).value();
  made.n_partitions = static_cast<int>(random.in(1, 17));
  return made;
}

TEST(PartitionBoxes, CoverTheGridOnceAndFollowTheTiles) {
  Random random(1);
  for (int n = 0; n < 100; ++n) {
    const Case c = random_case(random);
    const TileCut cut = cut_into_partitions(c.mask, c.box, c.n_partitions);
    std::map<Point, int> owner;
    for (int p = 0; p < c.n_partitions; ++p) {
      Index samples = 0;
      for (const Brick& brick : bricks_of_partition(cut, p)) {
        ASSERT_FALSE(brick.box.empty());
        samples += brick.box.num_samples();
        for_each_index_point(brick.box, [&](const Point& at) { ASSERT_TRUE(owner.emplace(at, p).second); });
      }
      EXPECT_EQ(samples, cut.num_samples(p));
    }
    ASSERT_EQ(std::ssize(owner), c.box.num_samples());
    for (const auto& [at, p] : owner) ASSERT_EQ(cut.partition_of_point(at), p);
  }
}

/// The bricks are as large as possible: the brick around each has samples of other partitions.
TEST(PartitionBoxes, AreTheLargestBricks) {
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    const Case c = random_case(random);
    const TileCut cut = cut_into_partitions(c.mask, c.box, c.n_partitions);
    for (int p = 0; p < c.n_partitions; ++p) {
      const std::vector<Brick> bricks = bricks_of_partition(cut, p);
      EXPECT_LE(std::ssize(bricks), std::max(1, 2 * cut.digits()));
      for (const Brick& brick : bricks) {
        if (brick.digits == 0) continue;
        const int above = c.mask.max_level() - brick.digits + 1;
        const Index z = brick.number >> 1;
        bool has_others = false;
        for_each_index_point(c.box, [&](const Point& at) {
          const bool is_in = z_from_point(c.mask, at) >> above == z;
          has_others = has_others || (is_in && cut.partition_of_point(at) != p);
        });
        EXPECT_TRUE(has_others) << brick.box.to_string();
      }
    }
  }
}

TEST(PartitionBoxes, OfAPowerOfTwoAreTheBricksOfTheMask) {
  const Box box({0, 0, 0}, {64, 64, 64});
  const Bitmask mask = Bitmask::longest_first(3, box.hi).value();
  for (int digits = 0; digits < 5; ++digits) {
    const TileCut cut = cut_into_partitions(mask, box, 1 << digits);
    for (int p = 0; p < 1 << digits; ++p) {
      const std::vector<Brick> bricks = bricks_of_partition(cut, p);
      ASSERT_EQ(bricks.size(), 1u);
      EXPECT_EQ(bricks.front().digits, digits);
      EXPECT_EQ(bricks.front().number, p);
    }
  }
}

/// The samples of a level of the grid in a brick are a level of the brick, in its own coordinates.
TEST(PartitionBoxes, LevelsOfTheGridAreLevelsOfTheBricks) {
  Random random(3);
  for (int n = 0; n < 100; ++n) {
    const Case c = random_case(random);
    const TileCut cut = cut_into_partitions(c.mask, c.box, c.n_partitions);
    for (int p = 0; p < c.n_partitions; ++p) {
      for (const Brick& brick : bricks_of_partition(cut, p)) {
        const Bitmask mask = mask_of_brick(c.mask, brick);
        ASSERT_EQ(mask.rank(), c.mask.rank());
        for (int level = 0; level <= c.mask.max_level(); ++level) {
          const Lattice whole = c.mask.samples_up_to(level);
          const Lattice inside = whole.sub(whole.indices_in(brick.box));
          if (inside.num_samples() <= 1) continue;
          bool is_level = false;
          for (int own = 0; own <= mask.max_level() && !is_level; ++own) {
            const Lattice lattice = mask.samples_up_to(own);
            const Box local = Box::from_extent(c.box.rank, brick.box.extents());
            const Lattice found = lattice.sub(lattice.indices_in(local));
            is_level = found.count == inside.count;
            for (int a = 0; a < c.box.rank && is_level; ++a) {
              is_level = found.count[a] == 1 || found.stride[a] == inside.stride[a];
              is_level = is_level && inside.origin[a] == brick.box.lo[a];
            }
          }
          EXPECT_TRUE(is_level) << brick.box.to_string() << " level " << level;
        }
      }
    }
  }
}

TEST(PartitionBoxes, OfUnequalBricks) {
  const Box box({0, 0, 0}, {301, 561, 61});
  const Bitmask mask = Bitmask::longest_first(3, box.hi).value();
  for (const int n_partitions : {1, 2, 3, 4, 5, 6, 7, 8, 16}) {
    const TileCut cut = cut_into_partitions(mask, box, n_partitions);
    Index samples = 0;
    for (int p = 0; p < n_partitions; ++p) {
      for (const Brick& brick : bricks_of_partition(cut, p)) samples += brick.box.num_samples();
      EXPECT_LE(static_cast<double>(cut.num_samples(p)) * n_partitions,
                kMostPartitionImbalance * static_cast<double>(box.num_samples()));
    }
    EXPECT_EQ(samples, box.num_samples());
  }
}

}  // namespace
}  // namespace esker
