// Chunked variables: each sample in its place, contiguous pieces, the whole of a chunk stored.
#include "layout/chunked.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "layout/chunk_choice.h"
#include "unit/grid/brute_force.h"
#include "unit/layout/segments.h"

namespace esker {
namespace {

using testing::expect_segments_of_a_box;
using testing::points_of;
using testing::Random;

/// A layout of a random extent, and its position of each sample by counting.
struct Case {
  explicit Case(Random& random) {
    rank = static_cast<int>(random.in(1, kMaxRank));
    for (int a = 0; a < rank; ++a) {
      extent[a] = random.in(1, rank < 4 ? 9 : 4);
      shape.chunk[a] = random.in(1, rank < 4 ? 7 : 4);
    }
    shape.alignment_bytes = random.in(0, 1) == 0 ? 1 : random.in(1, 100);
    piece_bytes = kBytes * random.in(1, 40) + random.in(0, kBytes - 1);
  }
  static constexpr Index kBytes = 4, kOffset = 100;
  int rank = 1;
  Point extent{1, 1, 1, 1, 1};
  ChunkedLayout::Shape shape;
  Index piece_bytes = 0;
  [[nodiscard]] Box box() const { return Box::from_extent(rank, extent); }
  [[nodiscard]] ChunkedLayout layout() const { return {rank, extent, kBytes, shape, kOffset, piece_bytes}; }
  /// By the definition of chunked storage.
  [[nodiscard]] Index position_of(const Point& point) const {
    Index chunk = 0, in_chunk = 0, samples = 1;
    for (int a = rank; a-- > 0;) {
      chunk = chunk * ((extent[a] + shape.chunk[a] - 1) / shape.chunk[a]) + point[a] / shape.chunk[a];
      in_chunk = in_chunk * shape.chunk[a] + point[a] % shape.chunk[a];
      samples *= shape.chunk[a];
    }
    const Index aligned = (samples * kBytes + shape.alignment_bytes - 1) / shape.alignment_bytes;
    return chunk * aligned * shape.alignment_bytes + in_chunk * kBytes;
  }
};

TEST(Chunked, PiecesHoldAllSamplesInTheirPlacesOneAfterTheOther) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Case test(random);
    const ChunkedLayout layout = test.layout();
    std::map<Index, Point> point_at;
    for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
      const Piece piece = layout.piece(ordinal);
      ASSERT_EQ(piece.num_parts, 1);
      ASSERT_LE(piece.size_bytes, std::max(test.piece_bytes, Case::kBytes));
      ASSERT_EQ(piece.offset_bytes, Case::kOffset + piece.position_bytes);
      const Index next = layout.position_bytes(ordinal + 1);
      ASSERT_LE(piece.position_bytes + piece.size_bytes, next);
      ASSERT_LE(next - piece.position_bytes, layout.largest_piece_bytes());
      const PiecePart part = layout.part(piece, 0);
      ASSERT_EQ(part.lattice.num_samples() * Case::kBytes, piece.size_bytes);
      for (const Point& index : points_of(part.lattice.all_indices())) {
        const Index at = piece.position_bytes + (part.first_sample + part.order.at(index)) * Case::kBytes;
        ASSERT_TRUE(point_at.emplace(at, part.lattice.point(index)).second) << at;
      }
    }
    for (const Point& point : points_of(test.box())) {
      ASSERT_EQ(point_at.at(test.position_of(point)), point);
    }
    ASSERT_GE(layout.stored_bytes(), point_at.rbegin()->first + Case::kBytes);
  }
}

TEST(Chunked, SegmentsAreWhatPiecesHaveOfABox) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const Case test(random);
    expect_segments_of_a_box(test.layout(), random);
  }
}

TEST(ChunkChoice, ChunksAreOfFourToSixteenMebibytesWhereGridsAreLarger) {
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
    ASSERT_LE(bytes, kMostChunkBytes);
    ASSERT_GT(bytes, std::min(whole, kLeastChunkBytes) / 2);
  }
}

}  // namespace
}  // namespace esker
