// Boxes stored back to back: each sample has its position by counting, whatever the size of the pieces.
#include "layout/packed_boxes.h"

#include <gtest/gtest.h>

#include <map>

#include "support/layout_conformance.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::expect_conforming_layout;
using testing_support::points_of;
using testing_support::Random;

constexpr Index kBytes = 12, kOffset = 100;

std::shared_ptr<const PackedBoxes> random_boxes(Random& random) {
  const int rank = static_cast<int>(random.in(1, kMaxRank - 1));
  std::vector<Point> extents(static_cast<std::size_t>(random.in(1, 12)), Point{1, 1, 1, 1, 1});
  for (Point& extent : extents) {
    for (int a = 0; a < rank; ++a) extent[a] = random.in(1, rank < 4 ? 9 : 3);
  }
  return std::make_shared<const PackedBoxes>(rank, std::move(extents));
}

TEST(PackedBoxes, ConformToTheContractOfLayouts) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const PackedBoxesLayout layout(random_boxes(random), kBytes, kOffset, random.in(1, 300 * kBytes));
    ASSERT_NO_FATAL_FAILURE(expect_conforming_layout(layout, random));
  }
}

TEST(PackedBoxes, StoreEachBoxRowByRowAfterTheOnesBefore) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const auto boxes = random_boxes(random);
    const PackedBoxesLayout layout(boxes, kBytes, kOffset, random.in(1, 300 * kBytes));
    std::map<Point, Index> offset_of;
    for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
      const Piece piece = layout.piece(ordinal);
      for (int number = 0; number < piece.num_parts; ++number) {
        const PiecePart part = layout.part(piece, number);
        for (const Point& index : points_of(part.lattice.all_indices())) {
          offset_of[part.lattice.point(index)] =
              piece.offset_bytes + (part.first_sample + part.order.at(index)) * kBytes;
        }
      }
    }
    Index expected = kOffset;
    for (Index box = 0; box < boxes->size(); ++box) {
      for (Point point : points_of(Box::from_extent(boxes->rank(), boxes->extent(box)))) {
        point[boxes->rank()] = box;
        ASSERT_EQ(offset_of.at(point), expected);
        expected += kBytes;
      }
    }
  }
}

TEST(PackedBoxes, KeepSmallBoxesWholeAndDivideLargeOnes) {
  const auto boxes =
      std::make_shared<const PackedBoxes>(2, std::vector<Point>{{2, 2}, {3, 2}, {10, 10}, {1, 1}});
  const PackedBoxesLayout layout(boxes, 8, 0, 25 * 8);
  std::vector<int> parts;
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    parts.push_back(layout.piece(ordinal).num_parts);
  }
  EXPECT_EQ(parts, (std::vector<int>{2, 1, 1, 1, 1, 1, 1}));  // two rows of ten each, then the single sample
}

}  // namespace
}  // namespace esker
