#include "formats/idx/block_set_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "layout/kept_fields.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

BlockGrid grid_of_blocks() {
  const Box box{{0, 0, 0}, {33, 20, 17}};
  return {Bitmask::for_extent(3, box.hi).value(), 4, box};
}

StepSets some_sets(const BlockGrid& grid) {
  const auto some = std::make_shared<BlockSet>(grid, BlockRuns{{0, 5}, {7, 8}, {200, 300}});
  const auto none = std::make_shared<BlockSet>(grid, BlockRuns{});
  const auto all = std::make_shared<BlockSet>(grid);
  return {{{some, 17}, {}, {none, 0}, {some, 17}, {all, grid.box().num_samples()}},
          {{0, Box{{0, 0, 0}, {16, 10, 8}}}, {2, Box{{3, 200, 5}, {4, 1000, 300}}}}};
}

/// Gives changed bytes the right checksum, so that what they say is checked.
void seal(std::vector<std::byte>& bytes) {
  if (bytes.size() < 16) return;
  const std::uint64_t sum = checksum(std::span(bytes).subspan(16), 0);
  std::memcpy(bytes.data() + 8, &sum, sizeof(sum));
}

TEST(BlockSetFile, ReadsWhatItWrote) {
  const BlockGrid grid = grid_of_blocks();
  const StepSets written = some_sets(grid);
  const auto& columns = written.columns;
  const StepSets found = decode_block_sets(encode_block_sets(written).value(), grid, columns.size()).value();
  const auto& read = found.columns;
  ASSERT_EQ(read.size(), columns.size());
  EXPECT_EQ(found.patches, written.patches);
  EXPECT_FALSE(read[1].blocks);
  EXPECT_EQ(read[0].blocks->runs(), columns[0].blocks->runs());
  EXPECT_EQ(read[0].blocks, read[3].blocks);  // stored once
  EXPECT_EQ(read[0].num_primary, 17);
  EXPECT_EQ(read[2].blocks->size(), 0);
  EXPECT_EQ(read[4].blocks->size(), grid.num_existing());
}

TEST(BlockSetFile, IsSmall) {
  const BlockGrid grid = grid_of_blocks();
  const auto coarse = std::make_shared<BlockSet>(grid, blocks_up_to(grid, 9));
  EXPECT_LT(encode_block_sets({std::vector<StoredColumn>(3, {coarse, 512}), {}}).value().size(), 40u);
}

// No file is written that readers refuse.
TEST(BlockSetFile, HasALimit) {
  const StepSets sets = some_sets(grid_of_blocks());
  const std::size_t size = encode_block_sets(sets).value().size();
  EXPECT_TRUE(encode_block_sets(sets, size).ok());
  const Status refused = encode_block_sets(sets, size - 1).status();
  EXPECT_EQ(refused.code(), Code::kUnsupported);
  EXPECT_NE(refused.message().find(std::to_string(size - 1)), std::string::npos);
}

// Any change is an error by the checksum; with a right checksum, it is an error or other sets in the grid.
TEST(BlockSetFile, DamageIsFound) {
  const BlockGrid grid = grid_of_blocks();
  const std::vector<std::byte> whole = encode_block_sets(some_sets(grid)).value();
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = whole;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    if (bytes == whole) continue;
    EXPECT_EQ(decode_block_sets(bytes, grid, 5).status().code(), Code::kDataLoss);
    seal(bytes);
    const auto sets = decode_block_sets(bytes, grid, 5);
    if (!sets.ok()) {
      EXPECT_EQ(sets.status().code(), Code::kDataLoss);
      continue;
    }
    for (const StoredColumn& column : sets->columns) {
      EXPECT_TRUE(!column.blocks || column.blocks->size() <= grid.num_existing());
    }
  }
}

TEST(BlockSetFile, OfAnotherGridOrDatasetIsRefused) {
  const BlockGrid grid = grid_of_blocks();
  const auto bytes = encode_block_sets(some_sets(grid)).value();
  EXPECT_EQ(decode_block_sets(bytes, grid, 4).status().code(), Code::kDataLoss);
  const Box small{{0, 0, 0}, {8, 8, 8}};
  const BlockGrid other(Bitmask::for_extent(3, small.hi).value(), 4, small);
  EXPECT_EQ(decode_block_sets(bytes, other, 5).status().code(), Code::kDataLoss);
}

TEST(BlockSetFile, MorePrimarySamplesThanItsBlocksHoldAreRefused) {
  const BlockGrid grid = grid_of_blocks();
  const auto set = std::make_shared<BlockSet>(grid, BlockRuns{{0, 3}, {40, 50}});
  const auto none = std::make_shared<BlockSet>(grid, BlockRuns{});
  const auto code_of = [&](const StoredColumn& column) {
    return decode_block_sets(encode_block_sets({{column}, {}}).value(), grid, 1).status().code();
  };
  EXPECT_EQ(code_of({set, set->num_samples()}), Code::kOk);
  EXPECT_EQ(code_of({set, set->num_samples() + 1}), Code::kDataLoss);
  EXPECT_EQ(code_of({none, 0}), Code::kOk);
  EXPECT_EQ(code_of({none, 1}), Code::kDataLoss);
  EXPECT_EQ(code_of({nullptr, 1}), Code::kDataLoss);
}

// A file of a few bytes can name almost all blocks of a huge grid.
TEST(BlockSetFile, OfAlmostAllBlocksIsReadAtOnce) {
  Box box;
  box.rank = 3;
  for (int a = 0; a < 3; ++a) box.hi[a] = Index{1} << 20;
  const BlockGrid grid(Bitmask::for_extent(3, box.hi).value(), 0, box);
  const Index blocks = grid.num_existing() - 1;
  const auto set = std::make_shared<BlockSet>(grid, BlockRuns{{0, blocks}});
  const auto columns =
      decode_block_sets(encode_block_sets({{{set, 17}}, {}}).value(), grid, 1).value().columns;
  const StoredSamples samples = stored_samples_of(*columns[0].blocks, columns[0].num_primary);
  EXPECT_EQ(samples.blocks, blocks);
  EXPECT_EQ(samples.primary + samples.secondary, blocks);
}

}  // namespace
}  // namespace esker::idx
