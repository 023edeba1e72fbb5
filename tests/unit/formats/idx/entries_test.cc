#include "formats/idx/entries.h"

#include <gtest/gtest.h>

#include <random>

#include "base/byte_order.h"

namespace esker::idx {
namespace {

std::vector<std::byte> bytes_with(std::size_t word, std::uint32_t value) {
  std::vector<std::byte> bytes = encode_headers(std::vector<BlockEntry>{{120, 16, 0x10}, {136, 16, 0x10}});
  store_be32(value, bytes.data() + kFileHeaderBytes + 4 * word);
  return bytes;
}

Status decoded(const std::vector<std::byte>& bytes, Index file_bytes = 152) {
  return decode_headers(bytes, 2, file_bytes).status();
}

// idx-format, section 13: 0000.bin of ex8x8 with a raw row-major uint8 field.
TEST(Entries, BytesOfTheWorkedExample) {
  const std::vector<std::byte> bytes =
      encode_headers(std::vector<BlockEntry>{{120, 16, 0x10}, {136, 16, 0x10}});
  ASSERT_EQ(bytes.size(), 120u);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < bytes.size(); i += 4) words.push_back(load_be32(bytes.data() + i));
  const std::vector<std::uint32_t> expected{0,    0, 0, 0, 0, 0, 0, 0,   0, 0,  0,    0, 120, 0, 16,
                                            0x10, 0, 0, 0, 0, 0, 0, 136, 0, 16, 0x10, 0, 0,   0, 0};
  EXPECT_EQ(words, expected);
  EXPECT_EQ(bytes[40 + 8 + 3], std::byte{120});  // big-endian
  EXPECT_EQ(decode_headers(bytes, 2, 152).value(),
            (std::vector<BlockEntry>{{120, 16, 0x10}, {136, 16, 0x10}}));
}

TEST(Entries, NumbersGoFieldByField) {
  EXPECT_EQ(entry_number(0, 5, 4), 1);
  EXPECT_EQ(entry_number(2, 7, 4), 11);
  EXPECT_EQ(headers_bytes(2, 1), 120);
  EXPECT_EQ(headers_bytes(128, 3), 40 + 40 * 384);
  EXPECT_EQ(headers_bytes(Index{1} << 40, Index{1} << 40), std::numeric_limits<Index>::max());
}

TEST(Entries, OffsetsBeyond4GiB) {
  const Index offset = (Index{5} << 30) + 12345;
  const std::vector<BlockEntry> entries{{offset, 99, block_flags(InBlockOrder::kHz, Codec::kZip)}, {}};
  EXPECT_EQ(decode_headers(encode_headers(entries), 2, offset + 99).value(), entries);
}

TEST(Entries, Flags) {
  EXPECT_EQ(block_flags(InBlockOrder::kRowMajor, Codec::kRaw), 0x10u);
  EXPECT_EQ(block_flags(InBlockOrder::kHz, Codec::kLz4), 7u);
  const BlockEntry entry{1, 1, 0xffffffe8};  // bits beyond the lowest five mean nothing
  EXPECT_EQ(entry.order(), InBlockOrder::kHz);
  EXPECT_EQ(entry.codec_bits(), 8u);
}

TEST(Entries, AbsentBlocksAreZeroInBothDirections) {
  EXPECT_TRUE((BlockEntry{0, 16, 0x10}.absent()));
  EXPECT_TRUE((BlockEntry{120, 0, 0x10}.absent()));
  const auto bytes = encode_headers(std::vector<BlockEntry>{{120, 0, 0x10}, {0, 16, 0x10}});
  EXPECT_EQ(bytes, std::vector<std::byte>(120));
  EXPECT_EQ(decode_headers(bytes_with(4, 0), 2, 152).value()[0], BlockEntry{});
}

TEST(Entries, WordsThatReadersIgnore) {
  for (const std::size_t word : {0, 1, 6, 7, 8, 9}) EXPECT_TRUE(decoded(bytes_with(word, 0xdeadbeef)).ok());
  std::vector<std::byte> bytes = bytes_with(0, 0);
  std::fill_n(bytes.begin(), kFileHeaderBytes, std::byte{0xff});
  EXPECT_TRUE(decoded(bytes).ok());
}

TEST(Entries, BlocksOutsideTheFileOrInsideTheHeaders) {
  EXPECT_EQ(decoded(bytes_with(2, 137)).message(),
            "entry 0: block of 16 bytes at byte 137 exceeds the file of 152 bytes");
  EXPECT_EQ(decoded(bytes_with(2, 119)).code(), Code::kDataLoss);
  EXPECT_EQ(decoded(bytes_with(2, 1)).code(), Code::kDataLoss);
  EXPECT_EQ(decoded(bytes_with(13, 1)).code(), Code::kDataLoss);           // 4 GiB further
  EXPECT_EQ(decoded(bytes_with(13, 0x80000000)).code(), Code::kDataLoss);  // beyond 63 bits
  EXPECT_EQ(decoded(bytes_with(13, 0xffffffff)).code(), Code::kDataLoss);
  EXPECT_EQ(decoded(bytes_with(4, 33)).code(), Code::kDataLoss);
  EXPECT_EQ(decoded(bytes_with(2, 120), 151).message(),
            "entry 1: block of 16 bytes at byte 136 exceeds the file of 151 bytes");
}

TEST(Entries, BlocksOf2GiBAndMore) {
  const Index huge_file = Index{1} << 40;
  EXPECT_TRUE(decoded(bytes_with(4, 0x7fffffff), huge_file).ok());
  EXPECT_EQ(decoded(bytes_with(4, 0x80000000), huge_file).code(), Code::kDataLoss);
}

TEST(Entries, TruncatedEntriesAreErrors) {
  const std::vector<std::byte> bytes = bytes_with(0, 0);
  EXPECT_EQ(decode_headers(bytes, 3, 152).status().code(), Code::kDataLoss);
  EXPECT_EQ(decode_headers(bytes, 1, 152).status().code(), Code::kDataLoss);
  EXPECT_EQ(decode_headers(bytes, -1, 152).status().code(), Code::kDataLoss);
  EXPECT_EQ(decode_headers(bytes, std::numeric_limits<Index>::max(), 152).status().code(), Code::kDataLoss);
  EXPECT_EQ(decode_headers({}, 0, 0).status().code(), Code::kDataLoss);
}

TEST(Entries, FindsOverlapsAndIgnoresAbsentBlocks) {
  using Pair = std::pair<Index, Index>;
  const BlockEntry absent;
  EXPECT_FALSE(find_overlap({}));
  EXPECT_FALSE(
      find_overlap(std::vector<BlockEntry>{{200, 16, 0}, absent, {216, 16, 0}, absent, {184, 16, 0}}));
  EXPECT_EQ(find_overlap(std::vector<BlockEntry>{{200, 16, 0}, absent, {199, 2, 0}}), Pair(2, 0));
  EXPECT_EQ(find_overlap(std::vector<BlockEntry>{{200, 16, 0}, {200, 16, 0}}), Pair(0, 1));
  EXPECT_EQ(find_overlap(std::vector<BlockEntry>{{100, 1000, 0}, {900, 1, 0}, {2000, 1, 0}}), Pair(0, 1));
}

TEST(Entries, RandomBytesNeverGiveABlockOutsideTheFile) {
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = bytes_with(0, 0);
    for (int k = 0; k < 3; ++k) bytes[40 + random() % 80] = static_cast<std::byte>(random());
    const auto entries = decode_headers(bytes, 2, 152);
    if (!entries.ok()) continue;
    for (const BlockEntry& e : *entries) {
      EXPECT_TRUE(e.absent() || (e.offset_bytes >= 120 && e.offset_bytes + e.size_bytes <= 152));
    }
  }
}

}  // namespace
}  // namespace esker::idx
