#include "formats/idx/idx_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "formats/idx/idx_choice.h"
#include "support/blocks_meeting.h"
#include "support/layout_conformance.h"

namespace esker::idx {
namespace {

IdxLayout make_layout(const Box& box, int bits, Index per_file, std::vector<LayoutField> fields,
                      Index alignment) {
  const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
  const auto num_fields = static_cast<Index>(fields.size());
  return IdxLayout(BlockGrid(mask, bits, box), std::move(fields),
                   {per_file, alignment, 40 + 40 * per_file * num_fields});
}

// The table of the format: 16^3 samples, 256 per block, 2 blocks per file.
TEST(IdxLayout, BlocksAndFilesOfTheLevelsOfA16Cube) {
  const IdxLayout layout = make_layout(Box{{0, 0, 0}, {16, 16, 16}}, 8, 2, {{2, true}}, 1);
  const auto files_of = [&](Index first, Index last) {
    std::set<Index> files;
    for (Index block = first; block <= last; ++block) files.insert(layout.piece_of(0, block).file);
    return files;
  };
  EXPECT_EQ(files_of(0, 0), (std::set<Index>{0}));
  EXPECT_EQ(files_of(1, 1), (std::set<Index>{0}));
  EXPECT_EQ(files_of(2, 3), (std::set<Index>{1}));
  EXPECT_EQ(files_of(4, 7), (std::set<Index>{2, 3}));
  EXPECT_EQ(files_of(8, 15), (std::set<Index>{4, 5, 6, 7}));
  EXPECT_EQ(layout.num_files(), 8);
  EXPECT_EQ(layout.num_pieces(), 16);
}

TEST(IdxLayout, OffsetsOfTheWorkedExample) {
  const IdxLayout layout = make_layout(Box{{0, 0}, {8, 8}}, 4, 2, {{1, true}}, 1);
  EXPECT_EQ(layout.piece(0).offset_bytes, 120);
  EXPECT_EQ(layout.piece(1).offset_bytes, 136);
  EXPECT_EQ(layout.piece(2).file, 1);
  EXPECT_EQ(layout.piece(2).offset_bytes, 120);
}

TEST(IdxLayout, AbsentFieldsTakeNoSpace) {
  const IdxLayout layout = make_layout(Box{{0, 0}, {8, 8}}, 4, 4, {{1, true}, {8, false}, {4, true}}, 1);
  EXPECT_EQ(layout.num_pieces(), 8);
  EXPECT_EQ(layout.stored_bytes(), 4 * 16 * (1 + 4));
  for (Index p = 0; p < 8; ++p) EXPECT_NE(layout.piece(p).field, 1);
}

// Any grid, any options.
TEST(IdxLayout, ConformsToTheContractOfLayouts) {
  testing_support::Random random(11);
  for (int round = 0; round < 60; ++round) {
    Box box;
    box.rank = 1 + round % 4;
    for (int a = 0; a < box.rank; ++a) box.hi[a] = random.in(1, box.rank < 3 ? 40 : 9);
    const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
    const int bits = static_cast<int>(random.in(1, std::max(1, mask.max_level())));
    const Index alignment = std::array<Index, 3>{1, 64, 4096}[static_cast<std::size_t>(random.in(0, 2))];
    const IdxLayout layout = make_layout(box, bits, random.in(1, 5), {{4, true}, {12, true}}, alignment);
    ASSERT_NO_FATAL_FAILURE(testing_support::expect_conforming_layout(layout, random)) << box.to_string();
    for (Index p = 0; p < layout.num_pieces(); ++p) {
      const Piece piece = layout.piece(p);
      ASSERT_EQ(piece.offset_bytes % std::min(alignment, Index{4} << bits), 0);  // the smaller field's blocks
      ASSERT_GE(piece.offset_bytes, layout.parameters().headers_bytes);
    }
  }
}

// In both orders: the first block of each brick has one part, or one per level.
TEST(IdxLayout, ConformsWithBricks) {
  testing_support::Random random(12);
  for (int round = 0, tested = 0; tested < 40; ++round) {
    Box box;
    box.rank = 1 + round % 4;
    for (int a = 0; a < box.rank; ++a) box.hi[a] = random.in(1, box.rank < 3 ? 40 : 9);
    const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
    const int bits = static_cast<int>(random.in(1, std::max(1, mask.max_level())));
    const auto digits = static_cast<int>(random.in(1, 4));
    if (!BlockGrid(mask, bits, box).can_have_bricks(digits)) continue;
    ++tested;
    const Index per_file = random.in(1, 5);
    LayoutParameters parameters{per_file, 64, 40 + 80 * per_file};
    parameters.order = round % 2 == 0 ? InBlockOrder::kRowMajor : InBlockOrder::kHz;
    const IdxLayout layout(BlockGrid(mask, bits, box, digits), {{4, true}, {12, true}}, parameters);
    ASSERT_NO_FATAL_FAILURE(testing_support::expect_conforming_layout(layout, random)) << box.to_string();
  }
}

/// Some of the existing blocks: in long runs, single ones, or none.
std::shared_ptr<const BlockSet> random_set(const BlockGrid& grid, testing_support::Random& random) {
  BlockRuns runs;
  const Index longest = random.in(1, 10);
  for (Index first = random.in(0, 5); first < grid.num_existing(); first += random.in(1, 10)) {
    const Index last = std::min(grid.num_existing(), first + random.in(0, longest));
    append_run(runs, {first, last});
    first = last;
  }
  return std::make_shared<BlockSet>(grid, std::move(runs));
}

TEST(IdxLayout, SparseStepsConformToTheContractOfLayouts) {
  testing_support::Random random(12);
  int num_tested = 0;
  for (int round = 0; round < 80; ++round) {
    Box box;
    box.rank = 1 + round % 4;
    for (int a = 0; a < box.rank; ++a) box.hi[a] = random.in(2, box.rank < 3 ? 40 : 9);
    const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
    const BlockGrid grid(mask, static_cast<int>(random.in(1, std::max(1, mask.max_level() - 2))), box);
    const auto one = random_set(grid, random), other = random_set(grid, random);
    const bool differ = round % 3 > 0;
    const IdxLayout layout =
        make_layout(box, grid.bits_per_block(), random.in(1, 5),
                    {{4, true, 0, one}, {12, true, 0, differ ? other : one}, {8, round % 3 == 2}}, 64);
    if (layout.num_pieces() == 0) continue;
    ++num_tested;
    ASSERT_NO_FATAL_FAILURE(testing_support::expect_conforming_layout(layout, random)) << box.to_string();
  }
  EXPECT_GE(num_tested, 60);
}

// All blocks in one brick of the grid: the domains have equal bytes all the same.
TEST(IdxLayout, DomainsOfASparseStepAreBalanced) {
  const Box box{{0, 0, 0}, {64, 64, 64}};
  const BlockGrid grid(Bitmask::for_extent(3, box.hi).value(), 9, box);
  const auto corner =
      std::make_shared<BlockSet>(grid, testing_support::blocks_meeting(grid, Box{{0, 0, 0}, {32, 32, 32}}));
  const IdxLayout layout = make_layout(box, 9, 16, {{8, true, 0, corner}, {8, true, 0, corner}}, 4096);
  const auto bricks = BrickDecomposition::near_cubic(3, box.hi, 8).value();
  Index most = 0;
  for (const auto& runs : layout.runs_of_shares(bricks)) {
    Index pieces = 0;
    for (const Layout::Run& run : runs) pieces += run.last - run.first;
    most = std::max(most, pieces);
  }
  EXPECT_GE(layout.num_pieces(), 8 * 8);
  EXPECT_LE(static_cast<double>(most) * 8 / static_cast<double>(layout.num_pieces()), 1.1);
  const Box region{{0, 0, 0}, {32, 32, 32}};
  const auto centers = layout.centers_of_shares(bricks);
  EXPECT_TRUE(
      std::all_of(centers.begin(), centers.end(), [&](const Point& p) { return region.contains(p); }));
}

/// If z is fastest in memory, neighbouring blocks of one level along z follow each other, and blocks that
/// begin at the same point are adjacent, the coarsest first.
TEST(IdxLayout, CollectsAlongTheDenseAxisOfMemory) {
  const Box box{{0, 0, 0}, {64, 64, 64}};
  const IdxLayout layout = make_layout(box, 9, 4, {{8, true, 2}}, 1);
  std::vector<std::pair<Index, Index>> order;  // place, ordinal
  for (Index ordinal = 0; ordinal < layout.num_pieces(); ++ordinal) {
    order.emplace_back(layout.place_on_curve(layout.piece(ordinal)), ordinal);
  }
  std::sort(order.begin(), order.end());
  const Point finest = layout.tile_extent(layout.levels().last - 1);
  Point last{-1, -1, -1};
  for (const auto& [place, ordinal] : order) {
    const Piece piece = layout.piece(ordinal);
    if (piece.id == 0) continue;
    Point tile = layout.part(piece, 0).lattice.origin;
    for (int a = 0; a < 3; ++a) tile[a] /= finest[a];
    if (tile[0] == last[0] && tile[1] == last[1]) {
      EXPECT_GE(tile[2], last[2]) << ordinal;
    } else {
      EXPECT_EQ(tile[2], 0) << "a column of memory is left before its end, at piece " << ordinal;
    }
    last = tile;
  }
}

TEST(IdxChoice, LargeEvenGridsGetLargeBlocksWithoutWaste) {
  const Box box{{0, 0, 0}, {256, 256, 256}};
  const Bitmask mask = Bitmask::for_extent(3, box.hi).value();
  EXPECT_EQ(choose_bits_per_block(mask, box, {8, 8}), 15);  // 256 KiB
  EXPECT_DOUBLE_EQ(stored_over_data(mask, 15, box), 1.0);
}

TEST(IdxChoice, OddGridsGetTheLargestBlocksWithLessThan15PercentWaste) {
  const Box box{{0, 0, 0}, {600, 600, 301}};
  const Bitmask mask = Bitmask::for_extent(3, box.hi).value();
  const int bits = choose_bits_per_block(mask, box, {8, 8});
  EXPECT_LE(stored_over_data(mask, bits, box), 1.15);
  EXPECT_GT(stored_over_data(mask, bits + 1, box), 1.15);
}

TEST(IdxChoice, BlocksDoNotFallBelow16KiB) {
  const Box box{{0, 0}, {301, 561}};
  const Bitmask mask = Bitmask::for_extent(2, box.hi).value();
  const int bits = choose_bits_per_block(mask, box, {4, 4});
  EXPECT_GE(Index{4} << bits, 16 << 10);
  for (int other = bits; (Index{4} << other) <= (4 << 20) && other <= mask.max_level(); ++other) {
    EXPECT_LE(stored_over_data(mask, bits, box), stored_over_data(mask, other, box));
  }
}

/// s3d with vectors: 64 bytes are the largest sample. Blocks of 512 samples would waste less, and those of
/// the scalars would have 4 KiB.
TEST(IdxChoice, BlocksOfScalarsBesideVectorsDoNotFallBelow16KiB) {
  const Box box{{0, 0, 0}, {120, 120, 60}};
  const Bitmask mask = Bitmask::longest_first(3, box.hi).value();
  EXPECT_EQ(choose_bits_per_block(mask, box, {8, 64}), 12);
  EXPECT_EQ(choose_bits_per_block(mask, box, {64, 64}), 9);
}

TEST(IdxChoice, TinyGridsAreOneBlock) {
  const Box box{{0, 0}, {3, 5}};
  const Bitmask mask = Bitmask::for_extent(2, box.hi).value();
  EXPECT_EQ(choose_bits_per_block(mask, box, {1, 1}), mask.max_level());
  EXPECT_EQ(choose_blocks_per_file(1, 1, 32), 1);
}

TEST(IdxChoice, StepsBelow1GiBGiveEightFilesIfTheyAreLargeEnough) {
  EXPECT_EQ(choose_blocks_per_file(512, 512, Index{1} << 20), 64);    // 512 MiB: 8 files of 64 MiB
  EXPECT_EQ(choose_blocks_per_file(64, 64, Index{1} << 20), 8);       // 64 MiB: 8 of 8 MiB
  EXPECT_EQ(choose_blocks_per_file(16, 16, Index{1} << 20), 4);       // 16 MiB: 4 of 4 MiB
  EXPECT_EQ(choose_blocks_per_file(8192, 8192, Index{1} << 20), 64);  // 8 GiB: files of 64 MiB
}

}  // namespace
}  // namespace esker::idx
