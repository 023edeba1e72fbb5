// One suite for all codecs: a new one passes by joining the list.
#include "codec/codec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "codec/codecs.h"
#include "samples.h"

namespace esker {
namespace {

const std::vector<BlockShape> kShapes{
    {SampleType::kFloat32, 1, 3, {8, 4, 16, 1, 1}}, {SampleType::kFloat64, 1, 2, {64, 16, 1, 1, 1}},
    {SampleType::kInt32, 1, 3, {4, 4, 4, 1, 1}},    {SampleType::kFloat64, 3, 1, {32, 1, 1, 1, 1}},
    {SampleType::kUint8, 1, 4, {2, 4, 2, 8, 1}},    {SampleType::kFloat32, 1, 2, {2, 1, 1, 1, 1}}};

class CodecTest : public testing::TestWithParam<const char*> {};

TEST_P(CodecTest, LosslessCodecsKeepEveryBit) {
  const CodecSpec spec = parse_codec_spec(GetParam()).value();
  for (const BlockShape& shape : kShapes) {
    if (!check_codec(spec, shape).ok()) continue;
    const auto samples = smooth_samples(shape);
    const auto stored = encode(spec, samples, shape).value();
    std::vector<std::byte> decoded(samples.size());
    ASSERT_TRUE(decode(spec, stored, shape, decoded).ok());
    EXPECT_EQ(decoded, samples);
  }
}

// Any bytes give an error or exactly the block: no crash, and no write beyond the block.
TEST_P(CodecTest, DamagedStreamsAreErrorsOrDecodeToSomething) {
  const CodecSpec spec = parse_codec_spec(GetParam()).value();
  std::mt19937 random(3);
  for (const BlockShape& shape : kShapes) {
    if (!check_codec(spec, shape).ok()) continue;
    const auto stored = encode(spec, smooth_samples(shape), shape).value();
    for (int round = 0; round < 200; ++round) {
      auto damaged = stored;
      damaged.resize(random() % (stored.size() + 40));
      for (unsigned flips = random() % 8; flips > 0 && !damaged.empty(); --flips) {
        damaged[random() % damaged.size()] ^= static_cast<std::byte>(1 + random() % 255);
      }
      std::vector<std::byte> decoded(static_cast<std::size_t>(shape.size_bytes()));
      (void)decode(spec, damaged, shape, decoded);
    }
    std::vector<std::byte> decoded(static_cast<std::size_t>(shape.size_bytes()));
    EXPECT_EQ(decode(spec, {}, shape, decoded).code(), Code::kDataLoss);
  }
}

// A block of zeros is the smallest block, and is within the bound. One byte of it is not.
TEST_P(CodecTest, StoredSizesThatCannotBe) {
  const CodecSpec spec = parse_codec_spec(GetParam()).value();
  const BlockShape shape{SampleType::kFloat64, 1, 3, {64, 64, 64, 1, 1}};
  const std::vector<std::byte> zeros(static_cast<std::size_t>(shape.size_bytes()));
  const auto stored = encode(spec, zeros, shape).value();
  EXPECT_TRUE(check_stored_size(spec, static_cast<Index>(stored.size()), shape).ok());
  EXPECT_EQ(check_stored_size(spec, 1, shape).code(), Code::kDataLoss);
}

TEST_P(CodecTest, SpecsRoundTrip) {
  const CodecSpec spec = parse_codec_spec(GetParam()).value();
  EXPECT_EQ(parse_codec_spec(print_codec_spec(spec)).value(), spec);
}

INSTANTIATE_TEST_SUITE_P(All, CodecTest,
                         testing::Values("raw", "zip", "zip-Z_BEST_SPEED", "zip-Z_BEST_COMPRESSION", "lz4",
                                         "zfp-reversible-reversible"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST(Codecs, ZfpStaysWithinTheAskedError) {
  const BlockShape shape{SampleType::kFloat64, 1, 3, {8, 8, 8, 1, 1}};
  const CodecSpec spec = parse_codec_spec("zfp-accuracy=0.25-accuracy=0.25").value();
  const auto samples = smooth_samples(shape);
  const auto stored = encode(spec, samples, shape).value();
  EXPECT_LT(stored.size(), samples.size());
  EXPECT_EQ(stored.size() % 8, 0u);
  std::vector<std::byte> decoded(samples.size());
  ASSERT_TRUE(decode(spec, stored, shape, decoded).ok());
  for (std::size_t i = 0; i < samples.size(); i += 8) {
    double was = 0, is = 0;
    std::memcpy(&was, samples.data() + i, 8);
    std::memcpy(&is, decoded.data() + i, 8);
    ASSERT_LE(std::abs(was - is), 0.25);
  }
}

TEST(Codecs, ZfpRefusesOtherTypesComponentsAndRanks) {
  const CodecSpec spec = parse_codec_spec("zfp").value();
  EXPECT_EQ(check_codec(spec, {SampleType::kUint8, 1, 3, {4, 4, 4, 1, 1}}).code(), Code::kUnsupported);
  EXPECT_EQ(check_codec(spec, {SampleType::kFloat32, 3, 3, {4, 4, 4, 1, 1}}).code(), Code::kUnsupported);
  EXPECT_EQ(check_codec(spec, {SampleType::kFloat32, 1, 4, {4, 4, 4, 4, 1}}).code(), Code::kUnsupported);
}

TEST(CheckCompression, ZfpSaysWhatItDoesNotSupport) {
  const CodecSpec zfp = parse_compression_option("zfp-reversible").value();
  for (const auto type :
       {SampleType::kInt32, SampleType::kInt64, SampleType::kFloat32, SampleType::kFloat64}) {
    EXPECT_TRUE(check_compression(zfp, type, 1, 2).ok());
    EXPECT_TRUE(check_compression(zfp, type, 1, 3).ok());
  }
  for (const auto type : {SampleType::kInt8, SampleType::kUint8, SampleType::kInt16, SampleType::kUint16,
                          SampleType::kUint32, SampleType::kUint64}) {
    EXPECT_EQ(check_compression(zfp, type, 1, 3).code(), Code::kUnsupported);
  }
  EXPECT_EQ(check_compression(zfp, SampleType::kUint16, 1, 3).message(),
            "zfp: values of type uint16, expected float32, float64, int32 or int64");
  EXPECT_EQ(check_compression(zfp, SampleType::kFloat32, 1, 1).message(),
            "zfp: a grid of 1 dimension, expected 2 or 3");
  EXPECT_EQ(check_compression(zfp, SampleType::kFloat32, 1, 4).code(), Code::kUnsupported);
  EXPECT_EQ(check_compression(zfp, SampleType::kFloat32, 1, 5).code(), Code::kUnsupported);
  EXPECT_EQ(check_compression(zfp, SampleType::kFloat32, 3, 3).message(),
            "zfp: 3 components, expected 1 (split the field into scalar fields)");
}

TEST(CheckCompression, PrecisionIsAtMostTheBitsOfTheType) {
  const CodecSpec fits = parse_compression_option("zfp-precision=32").value();
  const CodecSpec above = parse_compression_option("zfp-precision=33").value();
  EXPECT_TRUE(check_compression(fits, SampleType::kFloat32, 1, 3).ok());
  EXPECT_TRUE(check_compression(above, SampleType::kFloat64, 1, 3).ok());
  for (const auto type : {SampleType::kFloat32, SampleType::kInt32}) {
    const Status status = check_compression(above, type, 1, 3);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.message(),
              fmt::format("zfp: precision of 33 bits for {}, expected at most 32", name(type)));
  }
}

TEST(CheckCompression, ZipAndLz4TakeEverything) {
  for (const char* option : {"none", "zip", "lz4"}) {
    const CodecSpec spec = parse_compression_option(option).value();
    EXPECT_TRUE(check_compression(spec, SampleType::kUint8, 3, 5).ok());
    EXPECT_TRUE(check_compression(spec, SampleType::kInt16, 1, 1).ok());
  }
}

}  // namespace
}  // namespace esker
