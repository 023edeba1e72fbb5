#include "codec/compress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/checked.h"
#include "codec/measure.h"
#include "samples.h"
#include "support/faulty_zfp.h"
#include "support/test_new.h"

namespace esker {
namespace {

using testing_support::DroppedBitPlanes;

struct Block {
  Compressed how;
  std::vector<std::byte> out;
};

/// Compresses with buffers of exactly the sizes asked for, so that the address sanitizer sees every excess.
Block compress_exactly(const CodecSpec& spec, const std::vector<std::byte>& samples, const BlockShape& shape,
                       const Box& inside) {
  Block block;
  block.out.assign(samples.size(), std::byte{0xa5});
  std::vector<std::byte> scratch(static_cast<std::size_t>(compress_scratch_bytes(spec, shape)),
                                 std::byte{0x5a});
  block.how = compress(spec, samples, shape, inside, block.out, scratch).value();
  return block;
}

std::vector<std::byte> decoded(const CodecSpec& spec, const Block& block, const BlockShape& shape) {
  std::vector<std::byte> samples(static_cast<std::size_t>(shape.size_bytes()));
  const auto stored = std::span(block.out).first(static_cast<std::size_t>(block.how.size_bytes));
  decode(spec, stored, shape, samples).check();
  return samples;
}

CodecSpec option(const char* text) { return parse_compression_option(text).value(); }

template <class T>
void expect_errors(const Compressed& how, const std::vector<T>& x, const std::vector<T>& y) {
  long double largest = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double d = std::abs(static_cast<long double>(x[i]) - static_cast<long double>(y[i]));
    largest = std::max(largest, d);
    squares += d * d;
  }
  const long double rms = std::sqrt(squares / static_cast<long double>(x.size()));
  EXPECT_GE(how.max_error, largest);
  EXPECT_LE(how.max_error, largest * (1 + 0x1p-22L));
  EXPECT_GE(how.rms_error, rms);
  EXPECT_LE(how.rms_error, rms * (1 + 0x1p-22L));
}

void expect_errors_of_type(const Compressed& how, SampleType type, const std::vector<std::byte>& x,
                           const std::vector<std::byte>& y) {
  switch (type) {
    case SampleType::kInt32:
      return expect_errors(how, values_of<std::int32_t>(x), values_of<std::int32_t>(y));
    case SampleType::kInt64:
      return expect_errors(how, values_of<std::int64_t>(x), values_of<std::int64_t>(y));
    case SampleType::kFloat32:
      return expect_errors(how, values_of<float>(x), values_of<float>(y));
    default:
      return expect_errors(how, values_of<double>(x), values_of<double>(y));
  }
}

const std::vector<SampleType> kTypes{
    SampleType::kInt8,   SampleType::kUint8, SampleType::kInt16,  SampleType::kUint16,  SampleType::kInt32,
    SampleType::kUint32, SampleType::kInt64, SampleType::kUint64, SampleType::kFloat32, SampleType::kFloat64};

/// One shape of each kind, for each type.
std::vector<BlockShape> all_shapes() {
  std::vector<BlockShape> shapes;
  for (const SampleType type : kTypes) {
    shapes.push_back({type, 1, 3, {8, 8, 8, 1, 1}});
    shapes.push_back({type, 1, 3, {5, 3, 7, 1, 1}});
    shapes.push_back({type, 1, 3, {1, 1, 9, 1, 1}});
    shapes.push_back({type, 1, 2, {31, 17, 1, 1, 1}});
    shapes.push_back({type, 1, 2, {2, 1, 1, 1, 1}});
    shapes.push_back({type, 3, 1, {67, 1, 1, 1, 1}});
    shapes.push_back({type, 1, 1, {1, 1, 1, 1, 1}});
    shapes.push_back({type, 2, 5, {3, 5, 2, 3, 4}});
  }
  return shapes;
}

class CompressTest : public testing::TestWithParam<const char*> {};

void check_block(const CodecSpec& spec, const BlockShape& shape, const std::vector<std::byte>& samples) {
  const Block block = compress_exactly(spec, samples, shape, whole(shape));
  if (block.how.is_raw) {
    EXPECT_EQ(block.how.size_bytes, shape.size_bytes());
    EXPECT_EQ(block.how.max_error, 0);
    EXPECT_EQ(block.how.rms_error, 0);
    return;
  }
  const Index size = block.how.size_bytes, whole_size = round_up(size, 8);
  ASSERT_LT(whole_size, shape.size_bytes());
  const std::vector<std::byte> stored(block.out.begin(), block.out.begin() + size);
  EXPECT_EQ(stored, encode(spec, samples, shape).value());
  EXPECT_EQ(std::count(block.out.begin() + size, block.out.begin() + whole_size, std::byte{}),
            whole_size - size);
  const auto back = decoded(spec, block, shape);
  if (spec.lossless()) {
    EXPECT_EQ(back, samples);
  }
  if (spec.kind == CodecKind::kZfp) expect_errors_of_type(block.how, shape.type, samples, back);
}

TEST_P(CompressTest, EveryTypeAndShapeComesBack) {
  const CodecSpec spec = option(GetParam());
  for (const BlockShape& shape : all_shapes()) {
    if (!check_codec(spec, shape).ok()) continue;
    SCOPED_TRACE(std::string(name(shape.type)) + " " + whole(shape).to_string());
    check_block(spec, shape, smooth_samples(shape));
    check_block(spec, shape, std::vector<std::byte>(static_cast<std::size_t>(shape.size_bytes())));
    check_block(spec, shape, random_bytes(shape, 1));
  }
}

TEST_P(CompressTest, AllocatesNothing) {
  const CodecSpec spec = option(GetParam());
  const BlockShape shape{SampleType::kFloat64, 1, 3, {16, 16, 16, 1, 1}};
  const auto samples = smooth_samples(shape);
  std::vector<std::byte> out(samples.size());
  std::vector<std::byte> scratch(static_cast<std::size_t>(compress_scratch_bytes(spec, shape)));
  testing_support::largest_allocation = 0;
  const bool ok = compress(spec, samples, shape, whole(shape), out, scratch).ok();
  EXPECT_EQ(testing_support::largest_allocation, 0u);
  EXPECT_TRUE(ok);
}

TEST_P(CompressTest, BuffersThatAreTooSmallAreErrors) {
  const CodecSpec spec = option(GetParam());
  const BlockShape shape{SampleType::kFloat64, 1, 3, {4, 4, 4, 1, 1}};
  const auto samples = smooth_samples(shape);
  std::vector<std::byte> out(samples.size());
  std::vector<std::byte> scratch(static_cast<std::size_t>(compress_scratch_bytes(spec, shape)));
  const auto code = [&](std::span<const std::byte> from, std::span<std::byte> to, std::span<std::byte> with) {
    return compress(spec, from, shape, whole(shape), to, with).status().code();
  };
  EXPECT_EQ(code(samples, out, scratch), Code::kOk);
  EXPECT_EQ(code(std::span(samples).first(8), out, scratch), Code::kInternal);
  EXPECT_EQ(code(samples, std::span(out).first(out.size() - 1), scratch), Code::kInternal);
  if (!scratch.empty()) {
    EXPECT_EQ(code(samples, out, std::span(scratch).subspan(1)), Code::kInternal);
  }
}

TEST_P(CompressTest, ABoxThatLeavesTheBlockIsAnErrorUnlessItIsEmpty) {
  const CodecSpec spec = option(GetParam());
  const BlockShape shape{SampleType::kFloat64, 1, 2, {8, 4, 1, 1, 1}};
  const auto samples = smooth_samples(shape);
  std::vector<std::byte> out(samples.size());
  std::vector<std::byte> scratch(static_cast<std::size_t>(compress_scratch_bytes(spec, shape)));
  const auto code = [&](const Box& inside) {
    return compress(spec, samples, shape, inside, out, scratch).status().code();
  };
  EXPECT_EQ(code(Box({0, 0}, {8, 4})), Code::kOk);
  EXPECT_EQ(code(Box({9, 5}, {8, 4})), Code::kOk);
  EXPECT_EQ(code(Box({0, 0}, {8, 5})), Code::kInternal);
  EXPECT_EQ(code(Box({-1, 0}, {8, 4})), Code::kInternal);
  EXPECT_EQ(code(Box({0, 0, 0}, {8, 4, 1})), Code::kInternal);
}

INSTANTIATE_TEST_SUITE_P(All, CompressTest,
                         testing::Values("none", "zip", "zip-Z_BEST_SPEED", "lz4", "zfp-reversible",
                                         "zfp-precision=16", "zfp-precision=32", "zfp-accuracy=0.01"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST(Compress, NoiseStaysRaw) {
  const BlockShape integers{SampleType::kInt32, 1, 3, {16, 16, 16, 1, 1}};
  for (const char* text : {"zip", "zip-Z_BEST_COMPRESSION", "lz4", "zfp-reversible", "zfp-precision=32"}) {
    EXPECT_TRUE(
        compress_exactly(option(text), random_bytes(integers, 2), integers, whole(integers)).how.is_raw)
        << text;
  }
}

// Blocks one byte above the limit: 8 bytes that shrink to 1 ... 8 are 8 bytes when stored.
TEST(Compress, ABlockThatShrinksByLessThanItsPaddingIsRaw) {
  for (Index n = 1; n < 200; ++n) {
    const BlockShape shape{SampleType::kUint8, 1, 1, {n, 1, 1, 1, 1}};
    std::vector<std::byte> samples(static_cast<std::size_t>(n), std::byte{7});
    for (const char* text : {"zip", "lz4"}) {
      const Compressed how = compress_exactly(option(text), samples, shape, whole(shape)).how;
      if (how.is_raw) continue;
      EXPECT_LT(round_up(how.size_bytes, 8), n) << text;
    }
  }
  const BlockShape constant{SampleType::kUint8, 1, 1, {100, 1, 1, 1, 1}};
  const std::vector<std::byte> samples(100, std::byte{7});
  EXPECT_FALSE(compress_exactly(option("zip"), samples, constant, whole(constant)).how.is_raw);
  EXPECT_FALSE(compress_exactly(option("lz4"), samples, constant, whole(constant)).how.is_raw);
}

template <class T>
void check_values_that_are_not_finite(const char* text) {
  const BlockShape shape{sample_type_of<T>(), 1, 3, {8, 8, 8, 1, 1}};
  const Box inside({0, 0, 0}, {8, 8, 4});
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity()}) {
    for (const std::size_t at : {0, 17, 255, 256, 511}) {
      auto values = values_of<T>(smooth_samples(shape));
      EXPECT_FALSE(compress_exactly(option(text), bytes_of(values), shape, inside).how.is_raw);
      values[at] = bad;
      EXPECT_TRUE(compress_exactly(option(text), bytes_of(values), shape, inside).how.is_raw) << at;
    }
  }
}

TEST(Compress, ZfpStoresBlocksRawWhereAValueIsNotFinite) {
  for (const char* text : {"zfp-reversible", "zfp-precision=16", "zfp-accuracy=0.01"}) {
    check_values_that_are_not_finite<float>(text);
    check_values_that_are_not_finite<double>(text);
  }
}

template <class T>
void check_integers_that_wrap(T most) {
  const BlockShape shape{sample_type_of<T>(), 1, 2, {16, 16, 1, 1, 1}};
  std::vector<T> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? most : T(-most - 1);
  for (const char* text : {"zfp-precision=8", "zfp-reversible"}) {
    values[100] = most;
    EXPECT_FALSE(compress_exactly(option(text), bytes_of(values), shape, whole(shape)).how.is_raw) << text;
    const bool is_raw = !option(text).lossless();
    for (const T bad :
         {T(most + 1), T(-most - 2), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
      values[100] = bad;
      EXPECT_EQ(compress_exactly(option(text), bytes_of(values), shape, whole(shape)).how.is_raw, is_raw)
          << text << " " << bad;
    }
  }
}

TEST(Compress, LossyZfpStoresBlocksRawWhereAnIntegerWouldWrapAround) {
  check_integers_that_wrap<std::int32_t>((1 << 30) - 1);
  check_integers_that_wrap<std::int64_t>((std::int64_t{1} << 62) - 1);
}

TEST(Compress, AMissedAccuracyIsStoredRaw) {
  const BlockShape shape{SampleType::kFloat64, 1, 3, {32, 32, 32, 1, 1}};
  auto values = values_of<double>(smooth_samples(shape));
  const CodecSpec spec = option("zfp-accuracy=1e-6");
  const Block good = compress_exactly(spec, bytes_of(values), shape, whole(shape));
  EXPECT_FALSE(good.how.is_raw);
  EXPECT_LE(good.how.max_error, 1e-6);
  values[777] = 1e30;
  const auto samples = bytes_of(values);
  EXPECT_TRUE(compress_exactly(spec, samples, shape, whole(shape)).how.is_raw);
  // zfp alone misses the bound.
  std::vector<std::byte> back(samples.size());
  decode(spec, encode(spec, samples, shape).value(), shape, back).check();
  EXPECT_GT(measure_errors(shape, whole(shape), samples, back).max, 0.01);
}

TEST(Compress, AnErrorAboveTheLargestFloatIsStoredRaw) {
  const BlockShape shape{SampleType::kFloat64, 1, 2, {32, 32, 1, 1, 1}};
  auto values = values_of<double>(smooth_samples(shape));
  for (double& v : values) v *= 1e300;
  EXPECT_TRUE(compress_exactly(option("zfp-precision=8"), bytes_of(values), shape, whole(shape)).how.is_raw);
}

TEST(Compress, ErrorsOutsideTheGridDoNotCount) {
  const BlockShape shape{SampleType::kFloat64, 1, 3, {16, 8, 8, 1, 1}};
  const Box inside({0, 0, 0}, {12, 8, 4});
  std::vector<double> values(1024, 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 16 >= 12 || i >= 512) values[i] = 1e6 * std::sin(static_cast<double>(i * i));
  }
  const auto samples = bytes_of(values);
  const CodecSpec coarse = option("zfp-precision=10");
  const Block padded = compress_exactly(coarse, samples, shape, inside);
  ASSERT_FALSE(padded.how.is_raw);
  EXPECT_EQ(padded.how.max_error, 0);  // cells inside are constant
  EXPECT_GT(compress_exactly(coarse, samples, shape, whole(shape)).how.max_error, 1);
  const Block nothing = compress_exactly(coarse, samples, shape, Box({0, 0, 0}, {0, 0, 0}));
  ASSERT_FALSE(nothing.how.is_raw);
  EXPECT_EQ(nothing.how.rms_error, 0);
  EXPECT_EQ(nothing.out, padded.out);
}

/// Bit patterns of all kinds: random, small and large exponents, denormals, zeros of both signs, extremes.
template <class T, class Bits>
std::vector<T> hard_values(std::mt19937_64& random, std::size_t n) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> special{0, T(-0.0), Limits::max(), Limits::lowest(),     Limits::min(),
                               1, T(-1),   T(3),          Limits::denorm_min(), T(-Limits::denorm_min())};
  const unsigned kind = random() % 4;
  std::vector<T> values(n);
  for (T& value : values) {
    Bits bits = static_cast<Bits>(random());
    if (kind == 1) bits &= (Bits{1} << (std::is_integral_v<T> ? 9 : Limits::digits - 1)) - 1;
    std::memcpy(&value, &bits, sizeof(T));
    if (kind == 2 || random() % 8 == 0) value = special[random() % special.size()];
    if (kind == 3) value = static_cast<T>(random() % 100);
    if (!all_finite(sample_type_of<T>(), bytes_of(std::vector<T>{value}))) value = T(-0.0);
  }
  return values;
}

template <class T, class Bits>
void check_reversible() {
  std::mt19937_64 random(11);
  const CodecSpec spec = option("zfp-reversible");
  int n_compressed = 0;
  for (int round = 0; round < 400; ++round) {
    const BlockShape shape = round % 2 == 0 ? BlockShape{sample_type_of<T>(), 1, 3, {4, 5, 4, 1, 1}}
                                            : BlockShape{sample_type_of<T>(), 1, 2, {9, 4, 1, 1, 1}};
    const auto samples =
        bytes_of(hard_values<T, Bits>(random, static_cast<std::size_t>(shape.num_samples())));
    std::vector<std::byte> back(samples.size());
    decode(spec, encode(spec, samples, shape).value(), shape, back).check();
    ASSERT_EQ(back, samples) << name(shape.type) << " " << round;
    n_compressed += compress_exactly(spec, samples, shape, whole(shape)).how.is_raw ? 0 : 1;
  }
  EXPECT_GT(n_compressed, 50);
}

TEST(Compress, ReversibleZfpKeepsEveryBit) {
  check_reversible<std::int32_t, std::uint32_t>();
  check_reversible<std::int64_t, std::uint64_t>();
  check_reversible<float, std::uint32_t>();
  check_reversible<double, std::uint64_t>();
}

TEST(BrokenEncoder, ALostBitPlaneIsInTheMeasuredErrors) {
  for (const SampleType type : {SampleType::kFloat32, SampleType::kFloat64, SampleType::kInt32}) {
    const BlockShape shape{type, 1, 3, {16, 16, 16, 1, 1}};
    auto samples = smooth_samples(shape);
    if (type == SampleType::kInt32) {  // precision counts from the highest bit of the type
      auto values = values_of<std::int32_t>(samples);
      for (auto& v : values) v *= 1000000;
      samples = bytes_of(values);
    }
    const CodecSpec spec = option("zfp-precision=16");
    const Block good = compress_exactly(spec, samples, shape, whole(shape));
    const DroppedBitPlanes fault(1);
    const Block bad = compress_exactly(spec, samples, shape, whole(shape));
    ASSERT_FALSE(bad.how.is_raw);
    expect_errors_of_type(bad.how, type, samples, decoded(spec, bad, shape));
    EXPECT_GT(bad.how.max_error, good.how.max_error) << name(type);
    EXPECT_GT(bad.how.rms_error, good.how.rms_error) << name(type);
  }
}

TEST(BrokenEncoder, AMissedAccuracyIsStoredRaw) {
  const BlockShape shape{SampleType::kFloat64, 1, 3, {16, 16, 16, 1, 1}};
  const auto samples = smooth_samples(shape);
  const CodecSpec spec = option("zfp-accuracy=1e-3");
  EXPECT_FALSE(compress_exactly(spec, samples, shape, whole(shape)).how.is_raw);
  const DroppedBitPlanes fault(8);
  EXPECT_TRUE(compress_exactly(spec, samples, shape, whole(shape)).how.is_raw);
}

}  // namespace
}  // namespace esker
