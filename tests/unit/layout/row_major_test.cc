// Row-major variables: the position of each sample, and few boxes per piece.
#include "layout/row_major.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/layout_conformance.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::box_near;
using testing_support::expect_conforming_layout;
using testing_support::expect_segments_of_a_box;
using testing_support::points_of;
using testing_support::Random;

/// A layout of a random extent, and its position of each sample by counting.
struct RowMajorCase {
  explicit RowMajorCase(Random& random) {
    rank = static_cast<int>(random.in(1, kMaxRank));
    for (int a = 0; a < rank; ++a) extent[a] = random.in(1, rank < 4 ? 9 : 4);
    piece_bytes = kBytes * random.in(1, 40) + random.in(0, kBytes - 1);
    if (random.in(0, 1) == 1) stripe_bytes = Index{8} << random.in(0, 5);
  }
  static constexpr Index kBytes = 4, kOffset = 100;
  int rank = 1;
  Point extent{1, 1, 1, 1, 1};
  Index piece_bytes = 0, stripe_bytes = 0;
  [[nodiscard]] Box box() const { return Box::from_extent(rank, extent); }
  [[nodiscard]] RowMajorLayout layout() const {
    if (stripe_bytes == 0) return {rank, extent, kBytes, kOffset, piece_bytes};
    return {rank, extent, kBytes, kOffset, piece_bytes, {stripe_bytes, kOffset}};
  }
  /// The largest size of a piece, including a sample that crosses the end of its stripe.
  [[nodiscard]] Index most_bytes() const {
    if (stripe_bytes == 0) return std::max(piece_bytes, kBytes);
    return std::min(stripe_bytes, std::max(2 * kBytes, piece_bytes)) + kBytes;
  }
};

TEST(RowMajor, PartsOfPiecesHoldAllSamplesInOrder) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const RowMajorCase test(random);
    const RowMajorLayout layout = test.layout();
    std::map<Index, Point> point_at;
    for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
      const Piece piece = layout.piece(ordinal);
      ASSERT_LE(piece.num_parts, 2 * test.rank - 1);
      ASSERT_LE(piece.size_bytes, test.most_bytes());
      ASSERT_EQ(piece.offset_bytes, RowMajorCase::kOffset + piece.position_bytes);
      ASSERT_EQ(layout.position_bytes(ordinal + 1), piece.position_bytes + piece.size_bytes);
      for (int number = 0; number < piece.num_parts; ++number) {
        const PiecePart part = layout.part(piece, number);
        for (const Point& index : points_of(part.lattice.all_indices())) {
          const Index at =
              piece.position_bytes + (part.first_sample + part.order.at(index)) * RowMajorCase::kBytes;
          ASSERT_TRUE(point_at.emplace(at, part.lattice.point(index)).second) << at;
        }
      }
    }
    Index position = 0;
    for (const Point& point : points_of(test.box())) {
      ASSERT_EQ(point_at.at(position), point);
      position += RowMajorCase::kBytes;
    }
    ASSERT_EQ(layout.stored_bytes(), position);
  }
}

TEST(RowMajor, ConformsToTheContractOfLayouts) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const RowMajorCase test(random);
    ASSERT_NO_FATAL_FAILURE(expect_conforming_layout(test.layout(), random)) << i;
    expect_segments_of_a_box(test.layout(), 0, box_near(test.box(), random));
  }
}

TEST(RowMajor, FileDomainsAreBricksAlongTheSlowestAxis) {
  const RowMajorLayout layout(3, {8, 8, 8}, 4, 0, 4 * 64);  // a plane each
  const auto slabs = BrickDecomposition::even(3, {8, 8, 8}, {1, 1, 4}).value();
  const auto shares = layout.runs_of_shares(slabs);
  ASSERT_EQ(shares.size(), 4u);
  for (int s = 0; s < 4; ++s) {
    ASSERT_EQ(shares[static_cast<std::size_t>(s)].size(), 1u);
    EXPECT_EQ(shares[static_cast<std::size_t>(s)][0].first, 2 * s);
    EXPECT_EQ(shares[static_cast<std::size_t>(s)][0].last, 2 * s + 2);
  }
  const RowMajorLayout small(1, {8}, 4, 0, 16);  // two pieces for four bricks
  const auto of_small = small.runs_of_shares(BrickDecomposition::even(1, {8}, {4}).value());
  ASSERT_EQ(of_small.size(), 4u);
  ASSERT_EQ(of_small[2].size(), 1u);
  EXPECT_EQ(of_small[2][0].first, 1);
}

TEST(RowMajor, StripesAreAssignedByTheirNumberInTheFile) {
  constexpr Index kStripe = 256, kOffset = 704, kSamples = 1000;
  const RowMajorLayout layout(1, {kSamples}, 8, 0, 64, {kStripe, kOffset});
  const auto writers = BrickDecomposition::even(1, {kSamples}, {3}).value();
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    const Index first = layout.position_bytes(ordinal), last = layout.position_bytes(ordinal + 1) - 8;
    EXPECT_EQ((kOffset + first) / kStripe, (kOffset + last) / kStripe);
  }
  const auto shares = layout.runs_of_shares(writers);
  std::set<Index> dealt;
  for (int s = 0; s < 3; ++s) {
    for (const Layout::Run& run : shares[static_cast<std::size_t>(s)]) {
      for (Index ordinal = run.first; ordinal < run.last; ++ordinal) {
        EXPECT_EQ((kOffset + layout.position_bytes(ordinal)) / kStripe % 3, s);
        EXPECT_TRUE(dealt.insert(ordinal).second);
      }
    }
  }
  EXPECT_EQ(static_cast<Index>(dealt.size()), layout.num_pieces());
}

}  // namespace
}  // namespace esker
