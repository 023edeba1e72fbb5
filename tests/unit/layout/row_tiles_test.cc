// Tiles of row-major variables: each sample in its place of the file, whatever the order of the tiles.
#include "layout/row_tiles.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/grid/brute_force.h"
#include "unit/layout/segments.h"

namespace esker {
namespace {

using testing::expect_segments_of_a_box;
using testing::points_of;
using testing::Random;

/// A layout of a random extent.
struct Case {
  explicit Case(Random& random) {
    rank = static_cast<int>(random.in(2, kMaxRank));
    for (int a = 0; a < rank; ++a) extent[a] = random.in(1, rank < 4 ? 40 : 6);
    dense_axis = static_cast<int>(random.in(1, rank - 1));
    piece_bytes = kBytes * random.in(1, 1000) + random.in(0, kBytes - 1);
  }
  static constexpr Index kBytes = 16, kOffset = 100;  // so 8 samples along the dense axis
  int rank = 2, dense_axis = 1;
  Point extent{1, 1, 1, 1, 1};
  Index piece_bytes = 0;
  [[nodiscard]] Box box() const { return Box::from_extent(rank, extent); }
  [[nodiscard]] RowTilesLayout layout() const {
    return {rank, extent, kBytes, kOffset, piece_bytes, {.axis = dense_axis}};
  }
};

/// Where a position is in the file.
Index offset_at(const Layout& layout, Index position) {
  const Layout::FileSpan span = layout.file_at(position);
  EXPECT_LE(span.begin, position);
  EXPECT_LT(position, span.end);
  return span.data_offset_bytes + position - span.begin;
}

TEST(RowTiles, EachSampleStandsWhereRowMajorOrderHasIt) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Case test(random);
    const RowTilesLayout layout = test.layout();
    std::map<Index, Point> point_at;
    for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
      const Piece piece = layout.piece(ordinal);
      ASSERT_EQ(piece.num_parts, 1);
      ASSERT_LE(piece.size_bytes, std::max(test.piece_bytes, Case::kBytes));
      ASSERT_LE(piece.size_bytes, layout.largest_piece_bytes());
      ASSERT_EQ(layout.position_bytes(ordinal), piece.position_bytes);
      ASSERT_EQ(layout.position_bytes(ordinal + 1), piece.position_bytes + piece.size_bytes);
      const PiecePart part = layout.part(piece, 0);
      for (const Point& index : points_of(part.lattice.all_indices())) {
        const Index position = piece.position_bytes + part.order.at(index) * Case::kBytes;
        ASSERT_TRUE(point_at.emplace(offset_at(layout, position), part.lattice.point(index)).second)
            << test.box().to_string() << " axis " << test.dense_axis << " tile "
            << Box::from_extent(test.rank, layout.tile_extent(0)).to_string() << " position " << position;
      }
    }
    Index offset = Case::kOffset;
    for (const Point& point : points_of(test.box())) {
      ASSERT_TRUE(point_at.contains(offset)) << offset;
      ASSERT_EQ(point_at.at(offset), point);
      offset += Case::kBytes;
    }
    ASSERT_EQ(layout.stored_bytes(), offset - Case::kOffset);
  }
}

TEST(RowTiles, SegmentsAreWhatTilesHaveOfABox) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    const Case test(random);
    expect_segments_of_a_box(test.layout(), random);
  }
}

TEST(RowTiles, ATileTakesLinesOfMemoryOfSomeRows) {
  const RowTilesLayout layout(3, {600, 600, 301}, 8, 0, 512 << 10, {.axis = 2});
  EXPECT_EQ(layout.tile_extent(0), (Point{600, 6, 16, 1, 1}));
  const RowTilesLayout flat(2, {600, 600}, 8, 0, 512 << 10, {.axis = 1});
  EXPECT_EQ(flat.tile_extent(0), (Point{600, 16, 1, 1, 1}));
}

TEST(RowTiles, SlabsAreWholePlanes) {
  const RowTilesLayout layout(3, {20, 30, 10}, 8, 0, 800, {.axis = 2, .depth = 1, .in_slabs = true});
  ASSERT_EQ(layout.tile_extent(0), (Point{20, 5, 1, 1, 1}));
  const auto writers = BrickDecomposition::even(3, {20, 30, 10}, {1, 1, 4}).value();
  const auto shares = layout.runs_of_shares(writers);
  ASSERT_EQ(shares.size(), 4u);
  Index plane = 0;
  for (int s = 0; s < 4; ++s) {
    ASSERT_EQ(shares[static_cast<std::size_t>(s)].size(), 1u);
    const auto [first, last] = shares[static_cast<std::size_t>(s)][0];
    EXPECT_EQ(first, plane * 6);
    EXPECT_EQ(last % 6, 0);
    for (Index ordinal = first; ordinal < last; ++ordinal) EXPECT_EQ(layout.share_of(ordinal, writers), s);
    plane = last / 6;
  }
  EXPECT_EQ(plane, 10);
}

}  // namespace
}  // namespace esker
