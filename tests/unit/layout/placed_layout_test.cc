// Layouts of boxes of a grid: together they have each sample of the grid once, and none of each other's.
#include "layout/placed_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "layout/chunked.h"
#include "support/layout_conformance.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::box_near;
using testing_support::points_of;
using testing_support::Random;

constexpr Index kSampleBytes = 8;

PlacedLayout layout_of(const Box& box, Random& random) {
  ChunkedLayout::Shape shape;
  for (int a = 0; a < box.rank; ++a) shape.chunk[a] = random.in(1, 7);
  ChunkedLayout::Tiles tiles;
  tiles.piece_bytes = kSampleBytes * random.in(1, 60);
  tiles.dense_axis = static_cast<int>(random.in(0, box.rank - 1));
  return {std::make_shared<ChunkedLayout>(box.rank, box.extents(), kSampleBytes, shape, 0, tiles), box.lo};
}

TEST(PlacedLayout, TheBoxesOfAGridHaveEachSampleOnce) {
  Random random(3);
  const Point extent{11, 9, 5, 1, 1};
  for (int n_parts = 1; n_parts <= 12; ++n_parts) {
    const auto boxes = BrickDecomposition::near_cubic(3, extent, n_parts).value();
    std::set<Point> seen;
    for (Index part = 0; part < n_parts; ++part) {
      const Box box = boxes.box(part);
      const PlacedLayout layout = layout_of(box, random);
      ASSERT_EQ(layout.domain(), box);
      for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
        const Lattice lattice = layout.part(layout.piece(ordinal), 0).lattice;
        for (const Point& index : points_of(lattice.all_indices())) {
          const Point point = lattice.point(index);
          ASSERT_TRUE(box.contains(point));
          ASSERT_TRUE(seen.insert(point).second);
        }
      }
    }
    ASSERT_EQ(seen.size(), 11u * 9 * 5);
  }
}

TEST(PlacedLayout, SegmentsOfABoxAreThoseOfTheDomain) {
  Random random(4);
  const Point extent{11, 9, 5, 1, 1};
  for (int run = 0; run < 50; ++run) {
    const auto boxes = BrickDecomposition::near_cubic(3, extent, 6).value();
    const Box asked = box_near(Box::from_extent(3, extent), random);
    for (Index part = 0; part < 6; ++part) {
      testing_support::expect_segments_of_a_box(layout_of(boxes.box(part), random), 0, asked);
    }
  }
}

TEST(PlacedLayout, BricksShareThePiecesOfTheBoxWithTheirCenter) {
  Random random(5);
  const Point extent{12, 12, 6, 1, 1};
  for (const int n_bricks : {1, 2, 3, 8, 20}) {
    const auto bricks = BrickDecomposition::near_cubic(3, extent, n_bricks).value();
    const auto boxes = BrickDecomposition::near_cubic(3, extent, 4).value();
    std::vector<int> users(static_cast<std::size_t>(n_bricks));
    for (Index part = 0; part < 4; ++part) {
      const PlacedLayout layout = layout_of(boxes.box(part), random);
      std::vector<bool> seen(static_cast<std::size_t>(layout.num_pieces()));
      const auto shares = layout.runs_of_shares(bricks);
      ASSERT_EQ(std::ssize(shares), n_bricks);
      for (std::size_t brick = 0; brick < shares.size(); ++brick) {
        if (!shares[brick].empty()) ++users[brick];
        for (const Layout::Run& run : shares[brick]) {
          for (Index ordinal = run.first; ordinal < run.last; ++ordinal) {
            ASSERT_FALSE(seen[static_cast<std::size_t>(ordinal)]);
            seen[static_cast<std::size_t>(ordinal)] = true;
          }
        }
      }
      ASSERT_EQ(std::count(seen.begin(), seen.end(), false), 0);
    }
    if (n_bricks < 8) continue;
    for (const int n : users) ASSERT_LE(n, 1) << "a brick stores files of two partitions";
  }
}

}  // namespace
}  // namespace esker
