#include "codec/codec_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace esker {
namespace {

TEST(CodecSpec, AreWhatOpenVisusReads) {
  EXPECT_EQ(parse_codec_spec("zfp").value().zfp_mode, ZfpMode::kReversible);
  const CodecSpec precision = parse_codec_spec("zfp-precision=24-precision=24").value();
  EXPECT_EQ(precision.zfp_mode, ZfpMode::kPrecision);
  EXPECT_EQ(precision.zfp_parameter, 24);
  EXPECT_EQ(print_codec_spec(precision), "zfp-precision=24-precision=24");
  EXPECT_EQ(parse_codec_spec("zfp-reversible-16").value().zfp_parameter, 16);  // the last part counts
  const CodecSpec accuracy = parse_codec_spec("zfp-accuracy=0.001-accuracy=0.001").value();
  EXPECT_EQ(accuracy.zfp_mode, ZfpMode::kAccuracy);
  EXPECT_DOUBLE_EQ(accuracy.zfp_parameter, 0.001);
  EXPECT_EQ(parse_codec_spec(print_codec_spec(accuracy)).value(), accuracy);
  EXPECT_FALSE(accuracy.lossless());
  for (const char* bad : {"zfp-precision=0-precision=0", "zfp-accuracy=nan", "jpg", "zfpx",
                          "zfp-precision=65", "zfp-fast", "tif"}) {
    EXPECT_EQ(parse_codec_spec(bad).status().code(), Code::kUnsupported) << bad;
  }
}

// Without the check, the part after the last '-' is a precision of 3 bits.
TEST(CodecSpec, ExponentsAreErrorsInWhatOpenVisusReads) {
  for (const char* bad : {"zfp-accuracy=1e-3", "zfp-accuracy=1e-3-accuracy=1e-3", "zfp-1.5E-3"}) {
    EXPECT_EQ(parse_codec_spec(bad).status().code(), Code::kUnsupported) << bad;
  }
}

TEST(CompressionOption, ShortSpellingsBecomeWhatOpenVisusReads) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"none", ""},
      {"zip", "zip"},
      {"zip-Z_BEST_SPEED", "zip-Z_BEST_SPEED"},
      {"zip-Z_BEST_COMPRESSION", "zip-Z_BEST_COMPRESSION"},
      {"lz4", "lz4"},
      {"zfp-reversible", "zfp-reversible-reversible"},
      {"zfp-precision=24", "zfp-precision=24-precision=24"},
      {"zfp-accuracy=0.5", "zfp-accuracy=0.5-accuracy=0.5"},
      {"zfp-accuracy=1e-3", "zfp-accuracy=0.001-accuracy=0.001"},
      {"zfp-accuracy=2", "zfp-accuracy=2.0-accuracy=2.0"},
      {"zfp-accuracy=1e3", "zfp-accuracy=1000.0-accuracy=1000.0"},
      {"zfp-accuracy=1e-17", "zfp-accuracy=0.00000000000000001-accuracy=0.00000000000000001"}};
  for (const auto& [option, printed] : cases) {
    const CodecSpec spec = parse_compression_option(option).value();
    EXPECT_EQ(print_codec_spec(spec), printed) << option;
    EXPECT_EQ(parse_codec_spec(print_codec_spec(spec)).value(), spec) << option;
    EXPECT_EQ(parse_compression_option(option_text(spec)).value(), spec) << option;
  }
  EXPECT_EQ(option_text(parse_compression_option("zfp-precision=24").value()), "zfp-precision=24");
  EXPECT_EQ(option_text(parse_compression_option("none").value()), "none");
}

TEST(CompressionOption, SomeAreForChunksOnly) {
  for (const char* option : {"zstd", "bitround=1", "bitround=52"}) {
    const CodecSpec spec = parse_compression_option(option).value();
    EXPECT_FALSE(spec.is_for_blocks()) << option;
    EXPECT_EQ(option_text(spec), option);
  }
  EXPECT_TRUE(parse_compression_option("zstd").value().lossless());
  EXPECT_FALSE(parse_compression_option("bitround=9").value().lossless());
  EXPECT_EQ(parse_compression_option("bitround=9").value().kept_bits, 9);
}

TEST(CompressionOption, TheListForMessagesHasEveryChoice) {
  EXPECT_EQ(
      compression_choices(),
      "none, zip, lz4, zfp-reversible, zfp-precision=N (1 to 64), zfp-accuracy=X (1e-17 or more), and only "
      "in NetCDF-4 and Zarr files zstd, bitround=N (1 to 52), and only in Zarr blosc");
  EXPECT_EQ(compression_choices(&CodecSpec::is_for_blocks).find("zstd"), std::string::npos);
  EXPECT_EQ(compression_choices(&CodecSpec::is_for_chunks).find("lz4"), std::string::npos);
}

TEST(CompressionOption, EveryAccuracyIsPrintedWithoutLoss) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-17, 300), mantissa(1, 10);
  for (int i = 0; i < 2000; ++i) {
    const double accuracy = mantissa(random) * std::pow(10, exponent(random));
    const CodecSpec spec = parse_compression_option(fmt::format("zfp-accuracy={}", accuracy)).value();
    EXPECT_EQ(spec.zfp_parameter, accuracy);
    EXPECT_EQ(parse_codec_spec(print_codec_spec(spec)).value(), spec);
    EXPECT_EQ(print_codec_spec(spec).find("e+"), std::string::npos);
    EXPECT_EQ(parse_compression_option(option_text(spec)).value(), spec);
  }
}

TEST(CompressionOption, OtherTextsAreErrorsThatListTheValidOnes) {
  for (const char* bad : {"",
                          "gzip",
                          "zip-9",
                          "lz4-1",
                          "zfp",
                          "zfp-",
                          "zfp-24",
                          "zfp-0.5",
                          "zfp-reversible-reversible",
                          "zfp-precision",
                          "zfp-precision=",
                          "zfp-precision=0",
                          "zfp-precision=65",
                          "zfp-precision=-1",
                          "zfp-precision=2.5",
                          "zfp-precision=24 ",
                          "zfp-accuracy=",
                          "zfp-accuracy=0",
                          "zfp-accuracy=-0.5",
                          "zfp-accuracy=nan",
                          "zfp-accuracy=inf",
                          "zfp-accuracy=1e400",
                          "zfp-accuracy=1e-18",
                          "zfp-accuracy=1e-400",
                          "zfp-accuracy=0.1x",
                          "ZIP",
                          "zstd-3",
                          "bitround",
                          "bitround=0",
                          "bitround=53",
                          "bitround=8.5"}) {
    const Status status = parse_compression_option(bad).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << bad;
    EXPECT_EQ(status.message(), fmt::format("compression '{}': expected {}", bad, compression_choices()));
  }
}

}  // namespace
}  // namespace esker
