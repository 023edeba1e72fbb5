// The keys of PIDX; the datasets themselves are in tests/unit/read/pidx_test.cc.
#include "formats/idx/pidx_header.h"

#include <gtest/gtest.h>

#include "unit/formats/idx/idx_texts.h"

namespace esker::idx {
namespace {

Header parsed_pidx(const std::string& text) { return parse_header(text, "run_5").value(); }
Code code_of_pidx(const std::string& text) { return parse_header(text, "run_5").status().code(); }

TEST(PidxHeader, ChunksHaveASeparateMask) {
  const Header h = parsed_pidx(kPidxChunks);
  ASSERT_TRUE(h.cells);
  EXPECT_EQ(h.cells->mask.to_string(), "V10210210210");
  EXPECT_EQ(h.cells->pidx_zfp_bits, 1024);
  EXPECT_EQ(h.bitmask.to_string(), "V10210210210012012");
  EXPECT_EQ(h.box, (Box{{0, 0, 0}, {63, 48, 20}}));
  EXPECT_EQ(h.bits_per_block, 7);
  EXPECT_EQ(h.block_mask().to_string(), "V10210210210");
  EXPECT_EQ(parse_header(print_header(h), "run_5").value(), h);
}

TEST(PidxHeader, RawChunksNeedNoRate) {
  const Header h =
      parsed_pidx(with(with(kPidxChunks, "(compression type)", "1"), "(compression bit rate)", ""));
  ASSERT_TRUE(h.cells);
  EXPECT_EQ(h.cells->pidx_zfp_bits, 0);
  EXPECT_EQ(code_of_pidx(with(kPidxChunks, "(compression bit rate)", "")), Code::kDataLoss);
}

TEST(PidxHeader, BlocksOfOneChunkAreNotGuessed) {
  const Header h = parsed_pidx(with(kPidxChunks, "(bitsperblock)", "0"));
  EXPECT_EQ(h.bits_per_block, 0);
  EXPECT_EQ(parse_header(print_header(h), "run_5").value(), h);
  EXPECT_EQ(parsed_pidx(with(kPidxChunks, "(bitsperblock)", "30")).bits_per_block, 11);
}

TEST(PidxHeader, TheLastValueOfARepeatedKeyApplies) {
  EXPECT_EQ(parsed_pidx(kPidxChunks + "\n(compression type)\n1\n").cells->pidx_zfp_bits, 0);
}

TEST(PidxHeader, WithoutCompressionMaskAndBlocksAreOfSamples) {
  const std::string text = with(with(kPidxChunks, "(bits)", "V10210210210210210"), "(compression type)", "0");
  EXPECT_FALSE(parsed_pidx(text).cells);
  EXPECT_EQ(parsed_pidx(text).block_mask(), parsed_pidx(text).bitmask);
}

TEST(PidxHeader, PartitionsHaveAnOffset) {
  const auto partition = pidx_partition(parsed_pidx(kPidxChunks)).value();
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->offset, (Point{64, 0, 32, 0, 0}));
  EXPECT_EQ(partition->index, 5);
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(kPidxChunks)).value(), 1);
  EXPECT_FALSE(pidx_partition(parsed_pidx(kPidx)).value());
  for (const char* bad : {"1 2", "1 2 -3", "x y z", "1 2 3 4", "4294967296 0 0"}) {
    EXPECT_EQ(pidx_partition(parsed_pidx(with(kPidxChunks, "(partition offset)", bad))).status().code(),
              Code::kDataLoss)
        << bad;
  }
}

TEST(PidxHeader, TheWholeOfPartitionsHasACountAndNoOffset) {
  const std::string whole = with(with(kPidx, "(io mode)", "l_part_idx"), "(partition count)", "2 3 4");
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(whole)).value(), 24);
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(with(whole, "(io mode)", "1"))).value(), 24);  // dialect 6
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(with(whole, "(partition count)", "0 2 0 2 0 1 0 1 0 1"))).value(),
            4);
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(with(whole, "(io mode)", "idx"))).value(), 1);
  EXPECT_EQ(num_pidx_partitions(parsed_pidx(kPidx)).value(), 1);
  for (const char* bad : {"0 1 1", "2 2", "2147483647 2147483647 2147483647", "-1 -1 4"}) {
    EXPECT_EQ(num_pidx_partitions(parsed_pidx(with(whole, "(partition count)", bad))).status().code(),
              Code::kDataLoss)
        << bad;
  }
}

TEST(PidxHeader, BlocksAreNextToTheIdxForAnyWrittenPath) {
  const auto resolved = [](const std::string& file_template) {
    return pidx_filename_template(parsed_pidx(with(kPidxChunks, "(filename_template)", file_template)),
                                  "run_5");
  };
  EXPECT_EQ(resolved("./run_5/%02x.bin"), "./run_5/%02x.bin");
  EXPECT_EQ(resolved("./out/run_5/%02x/%04x.bin"), "./run_5/%02x/%04x.bin");
  EXPECT_EQ(resolved(".//scratch/run_5/run_5/%02x.bin"), "./run_5/%02x.bin");
  EXPECT_EQ(resolved("./other/%02x.bin"), "./other/%02x.bin");
  const Header not_pidx = parsed_pidx(with(kMinimal, "(filename_template)", "./out/run_5/%02x.bin"));
  EXPECT_EQ(pidx_filename_template(not_pidx, "run_5"), "./out/run_5/%02x.bin");
}

TEST(PidxHeader, OtherFilesAndUncertainCasesAreUnsupported) {
  EXPECT_EQ(code_of_pidx(with(with(kPidx, "(io mode)", "raw"), "(bits)", "")), Code::kUnsupported);
  EXPECT_EQ(code_of_pidx(with(kPidx, "(io mode)", "particle")), Code::kUnsupported);
  EXPECT_EQ(code_of_pidx(with(kPidx, "(endian)", "big")), Code::kUnsupported);
  EXPECT_EQ(code_of_pidx(with(kPidx, "(compression type)", "3")), Code::kUnsupported);
  EXPECT_EQ(code_of_pidx(with(kPidx, "(compression type)", "-1")), Code::kDataLoss);
}

}  // namespace
}  // namespace esker::idx
