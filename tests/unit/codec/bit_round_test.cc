#include "codec/bit_round.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace esker {
namespace {

template <class Real>
std::vector<Real> rounded(const std::vector<Real>& values, int bits, Real fill) {
  std::vector<Real> out(values.size());
  const SampleType type = sizeof(Real) == 4 ? SampleType::kFloat32 : SampleType::kFloat64;
  bit_round(type, bits, std::as_bytes(std::span(&fill, 1)), std::as_bytes(std::span(values)),
            std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(BitRound, RoundsToNearestAwayFromZero) {
  EXPECT_EQ(rounded<float>({1.0f, 1.124f, 1.125f, 1.3f, -1.125f}, 2, 0.5f),
            (std::vector<float>{1.0f, 1.0f, 1.25f, 1.25f, -1.25f}));
  EXPECT_EQ(rounded<double>({1.9999, 3.7}, 1, 0.5), (std::vector<double>{2.0, 4.0}));
}

template <class Real, class Bits>
void expect_bounded(int mantissa) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (int bits = 1; bits <= mantissa; ++bits) {
    std::vector<Real> values;
    for (int i = 0; i < 200; ++i) values.push_back(static_cast<Real>(std::exp2(exponent(random))));
    const std::vector<Real> out = rounded(values, bits, Real{-1});
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(std::abs(out[i] - values[i]), std::ldexp(values[i], -bits - 1));
      EXPECT_EQ(std::bit_cast<Bits>(out[i]) & ((Bits{1} << (mantissa - bits)) - 1), Bits{0});
    }
  }
}

TEST(BitRound, KeepsItsBound) {
  expect_bounded<float, std::uint32_t>(23);
  expect_bounded<double, std::uint64_t>(52);
}

TEST(BitRound, KeepsWhatIsNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::bit_cast<float>(0x7fffffffu), fill = 9.96920996838687e+36f;
  const std::vector<float> values{kInfinity, -kInfinity, nan, fill, std::numeric_limits<float>::max()};
  const std::vector<float> out = rounded(values, 1, fill);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(values[i])) << i;
  }
  EXPECT_TRUE(std::isfinite(out[4]));
}

TEST(BitRound, ChecksTypeAndBits) {
  EXPECT_TRUE(check_bit_round(SampleType::kFloat32, 23).ok());
  EXPECT_TRUE(check_bit_round(SampleType::kFloat64, 52).ok());
  EXPECT_EQ(check_bit_round(SampleType::kFloat32, 24).message(), "bitround: 24 bits of float32, expected 1 to 23");
  EXPECT_EQ(check_bit_round(SampleType::kInt32, 9).message(),
            "bitround: values of type int32, expected float32 or float64");
}

}  // namespace
}  // namespace esker
