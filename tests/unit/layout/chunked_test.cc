// Chunked variables: each sample has its position in the file for any order of the tiles, and whole chunks
// are stored.
#include "layout/chunked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "layout/chunk_choice.h"
#include "support/layout_conformance.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::box_near;
using testing_support::expect_conforming_layout;
using testing_support::expect_segments_of_a_box;
using testing_support::points_of;
using testing_support::Random;

/// A layout of a random extent, and its offset of each sample by counting.
struct ChunkedCase {
  explicit ChunkedCase(Random& random) {
    rank = static_cast<int>(random.in(1, kMaxRank));
    for (int a = 0; a < rank; ++a) {
      extent[a] = random.in(1, rank < 4 ? 20 : 4);
      shape.chunk[a] = random.in(1, rank < 4 ? 20 : 4);
    }
    shape.alignment_bytes = random.in(0, 1) == 0 ? 1 : random.in(1, 100);
    tiles.piece_bytes = kBytes * random.in(1, 200) + random.in(0, kBytes - 1);
    tiles.dense_axis = static_cast<int>(random.in(0, rank - 1));
    tiles.in_slabs = random.in(0, 4) == 0;
  }
  static constexpr Index kBytes = 16, kOffset = 100;  // so 8 samples along the dense axis
  int rank = 1;
  Point extent{1, 1, 1, 1, 1};
  ChunkedLayout::Shape shape;
  ChunkedLayout::Tiles tiles;
  [[nodiscard]] Box box() const { return Box::from_extent(rank, extent); }
  [[nodiscard]] ChunkedLayout layout() const { return {rank, extent, kBytes, shape, kOffset, tiles}; }
  /// The offset by the definition of chunked storage.
  [[nodiscard]] Index offset_of(const Point& point) const {
    Index chunk = 0, in_chunk = 0, samples = 1;
    for (int a = rank; a-- > 0;) {
      chunk = chunk * ((extent[a] + shape.chunk[a] - 1) / shape.chunk[a]) + point[a] / shape.chunk[a];
      in_chunk = in_chunk * shape.chunk[a] + point[a] % shape.chunk[a];
      samples *= shape.chunk[a];
    }
    const Index aligned = (samples * kBytes + shape.alignment_bytes - 1) / shape.alignment_bytes;
    return kOffset + chunk * aligned * shape.alignment_bytes + in_chunk * kBytes;
  }
};

/// The file offset of a position.
Index offset_at(const Layout& layout, Index position) {
  const Layout::FileSpan span = layout.file_at(position);
  EXPECT_LE(span.begin, position);
  EXPECT_LT(position, span.end);
  return span.data_offset_bytes + position - span.begin;
}

TEST(Chunked, PiecesHoldAllSamplesInFileOrder) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const ChunkedCase test(random);
    const ChunkedLayout layout = test.layout();
    std::map<Index, Point> point_at;
    for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
      const Piece piece = layout.piece(ordinal);
      ASSERT_EQ(piece.num_parts, 1);
      ASSERT_LE(piece.size_bytes, std::max(test.tiles.piece_bytes, ChunkedCase::kBytes));
      const PiecePart part = layout.part(piece, 0);
      for (const Point& index : points_of(part.lattice.all_indices())) {
        const Index at =
            piece.position_bytes + (part.first_sample + part.order.at(index)) * ChunkedCase::kBytes;
        ASSERT_TRUE(point_at.emplace(offset_at(layout, at), part.lattice.point(index)).second) << at;
      }
    }
    for (const Point& point : points_of(test.box())) {
      ASSERT_EQ(point_at.at(test.offset_of(point)), point);
    }
    ASSERT_GE(ChunkedCase::kOffset + layout.stored_bytes(), point_at.rbegin()->first + ChunkedCase::kBytes);
  }
}

TEST(Chunked, StretchesAreContiguousAndFillTheFile) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const ChunkedLayout layout = ChunkedCase(random).layout();
    std::map<Index, Index> end_of;  // by where a stretch begins
    for (Index position = 0; position < layout.stored_bytes();) {
      const Layout::FileSpan span = layout.file_at(position);
      ASSERT_EQ(span.begin, position);
      ASSERT_EQ(layout.file_at(span.end - 1).begin, position) << "padding included";
      const Index end = span.data_offset_bytes + span.end - span.begin;
      ASSERT_TRUE(end_of.emplace(span.data_offset_bytes, end).second);
      position = span.end;
    }
    Index offset = ChunkedCase::kOffset;
    for (const auto& [begin, end] : end_of) {
      ASSERT_EQ(begin, offset);
      offset = end;
    }
    ASSERT_EQ(offset, ChunkedCase::kOffset + layout.stored_bytes());
  }
}

TEST(Chunked, ATileTakesLinesOfMemoryOfSomeRows) {
  const Point grid{600, 600, 301, 1, 1};
  const auto tile = [&](int rank, const Point& chunk, Index piece_bytes) {
    const ChunkedLayout layout(rank, grid, 8, {chunk}, 0, {piece_bytes, rank - 1});
    return layout.tile_extent(0);
  };
  EXPECT_EQ(tile(3, grid, 512 << 10), (Point{600, 6, 16, 1, 1}));
  EXPECT_EQ(tile(3, {300, 300, 301, 1, 1}, 512 << 10), (Point{300, 13, 16, 1, 1}));
  EXPECT_EQ(tile(3, {600, 600, 5, 1, 1}, 512 << 10), (Point{600, 21, 5, 1, 1}));
  EXPECT_EQ(tile(2, {600, 600, 1, 1, 1}, 512 << 10), (Point{600, 16, 1, 1, 1}));
}

/// Consecutive tiles are in the same columns of memory, and file domains are rows of all planes.
TEST(Chunked, TilesOfTheSameRowsAreCollectedOneAfterTheOther) {
  const ChunkedLayout layout(3, {20, 30, 40}, 8, {{20, 30, 40}}, 0, {.piece_bytes = 25600, .dense_axis = 2});
  ASSERT_EQ(layout.tile_extent(0), (Point{20, 10, 16, 1, 1}));
  const auto ranks = BrickDecomposition::even(3, {20, 30, 40}, {1, 3, 1}).value();
  const auto shares = layout.runs_of_shares(ranks);
  std::map<Index, Box> box_at;  // by place
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    const Piece piece = layout.piece(ordinal);
    const Lattice samples = layout.part(piece, 0).lattice;
    EXPECT_TRUE(box_at.emplace(layout.place_on_curve(piece), samples.bounds()).second);
    const auto& runs = shares[static_cast<std::size_t>(samples.origin[1] / 10)];
    EXPECT_EQ(std::count_if(runs.begin(), runs.end(),
                            [&](const auto& run) { return run.first <= ordinal && ordinal < run.last; }),
              1);
  }
  ASSERT_EQ(box_at.size(), 9u);
  for (Index place = 0; place < 9; ++place) {
    EXPECT_EQ(box_at[place].lo, (Point{0, place / 3 * 10, place % 3 * 16})) << place;
  }
}

TEST(Chunked, WritesOneStretchIfPlanesOfTilesAreWhole) {
  const ChunkedLayout layout(2, {600, 600}, 8, {{600, 600}}, 64, {512 << 10, 1});
  EXPECT_GT(layout.num_pieces(), 1);
  EXPECT_EQ(layout.file_at(0).end, layout.stored_bytes());
}

TEST(Chunked, SlabsAreWholePlanes) {
  const ChunkedLayout layout(3, {20, 30, 10}, 8, {{20, 30, 10}}, 0, {.piece_bytes = 800, .in_slabs = true});
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
    plane = last / 6;
  }
  EXPECT_EQ(plane, 10);
}

TEST(Chunked, ConformsToTheContractOfLayouts) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const ChunkedCase test(random);
    ASSERT_NO_FATAL_FAILURE(expect_conforming_layout(test.layout(), random)) << i;
    expect_segments_of_a_box(test.layout(), 0, box_near(test.box(), random));
  }
}

TEST(Chunked, FilesHaveBoxesOfChunks) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    ChunkedCase test(random);
    test.tiles.dense_axis = 0;
    test.tiles.in_slabs = false;
    test.shape.spare_bytes = random.in(0, 40);
    for (int a = 0; a < test.rank; ++a) test.shape.chunks_per_file[a] = random.in(1, 3);
    const ChunkedLayout layout = test.layout();
    ASSERT_NO_FATAL_FAILURE(expect_conforming_layout(layout, random)) << i;
    expect_segments_of_a_box(layout, 0, box_near(test.box(), random));
    const Index stride = layout.chunk_stride_bytes();
    for (Index chunk = 0; chunk < layout.num_chunks(); ++chunk) {
      const Layout::FileSpan file = layout.file_at(chunk * stride);
      ASSERT_EQ(file.file, layout.chunks().tile_of(chunk));
      ASSERT_EQ(file.data_offset_bytes, ChunkedCase::kOffset) << "each file begins with a chunk";
      ASSERT_EQ(file.end - file.begin, layout.chunks().box_of_tile(file.file).num_samples() * stride);
    }
  }
}

TEST(ChunkChoice, ChunksOfLargeGridsHaveFourToSixteenMebibytes) {
  const auto choose = [](const Point& extent, int rank, Index sample_bytes) {
    return choose_chunk(Box::from_extent(rank, extent), sample_bytes);
  };
  EXPECT_EQ(choose({301, 561, 1, 1, 1}, 2, 8), (Point{301, 561, 1, 1, 1})) << "a small grid is one chunk";
  EXPECT_EQ(choose({512, 512, 512, 1, 1}, 3, 8), (Point{512, 512, 8, 1, 1}));
  EXPECT_EQ(choose({600, 600, 301, 1, 1}, 3, 8)[2], 5) << "61 chunks, of which the last lacks 4 planes";
  EXPECT_EQ(choose({8192, 8192, 3, 1, 1}, 3, 4), (Point{8192, 512, 1, 1, 1})) << "planes of 256 MiB";
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    Point extent{1, 1, 1, 1, 1};
    const int rank = static_cast<int>(random.in(1, 4));
    for (int a = 0; a < rank; ++a) extent[a] = random.in(1, 2000);
    const Index sample_bytes = random.in(1, 24);
    const Point chunk = choose(extent, rank, sample_bytes);
    Index bytes = sample_bytes, whole = sample_bytes;
    for (int a = 0; a < rank; ++a) {
      ASSERT_LE(chunk[a], extent[a]);
      bytes *= chunk[a];
      whole *= extent[a];
    }
    ASSERT_LE(bytes, kChunkBytes.most);
    ASSERT_GT(bytes, std::min(whole, kChunkBytes.least) / 2);
  }
}

TEST(ChunkChoice, BricksAreHalvedOnTheirLongestAxis) {
  constexpr Index kMost = Index{4} << 20;
  const auto choose = [](const Point& extent, int rank, Index sample_bytes) {
    return choose_brick(Box::from_extent(rank, extent), sample_bytes, kMost);
  };
  EXPECT_EQ(choose({301, 561, 1, 1, 1}, 2, 8), (Point{301, 561, 1, 1, 1})) << "a small grid is one chunk";
  EXPECT_EQ(choose({600, 600, 301, 1, 1}, 3, 8), (Point{75, 75, 76, 1, 1}));
  EXPECT_EQ(choose({64, 128, 128, 1, 1}, 3, 8), (Point{64, 128, 64, 1, 1})) << "of equal axes the slowest";
  EXPECT_EQ(choose({8, 655362, 1, 1, 1}, 2, 8), (Point{8, 40961, 1, 1, 1}));
  EXPECT_EQ(choose({3, 2, 1, 1, 1}, 2, kMost + 1), (Point{1, 1, 1, 1, 1})) << "at least one sample";
}

}  // namespace
}  // namespace esker
