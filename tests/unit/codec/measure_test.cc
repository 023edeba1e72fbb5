#include "codec/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "samples.h"

namespace esker {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Compares in long double, sample by sample.
template <class T>
void expect_as_brute_force(const BlockShape& shape, const Box& inside, const std::vector<std::byte>& original,
                           const std::vector<std::byte>& decoded) {
  const auto x = values_of<T>(original), y = values_of<T>(decoded);
  long double largest = 0, squares = 0, n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Index rest = static_cast<Index>(i) / shape.components;
    bool is_inside = true;
    for (int a = 0; a < shape.rank; rest /= shape.count[a++]) {
      const Index at = rest % shape.count[a];
      is_inside = is_inside && at >= inside.lo[a] && at < inside.hi[a];
    }
    if (!is_inside) continue;
    const long double d = std::abs(static_cast<long double>(x[i]) - static_cast<long double>(y[i]));
    largest = std::max(largest, d);
    squares += d * d;
    ++n;
  }
  const long double rms = n > 0 ? std::sqrt(squares / n) : 0;
  const MeasuredErrors errors = measure_errors(shape, inside, original, decoded);
  EXPECT_GE(errors.max, largest);
  EXPECT_LE(errors.max, largest * (1 + 3e-16L));
  EXPECT_GE(errors.rms, rms * (1 - 1e-18L));
  EXPECT_LE(errors.rms, rms * (1 + 1e-10L));
  EXPECT_LE(errors.rms, errors.max);
  EXPECT_GE(rounded_up(errors.max), largest);
}

template <class T>
class MeasureTest : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(MeasureTest, Types);

TYPED_TEST(MeasureTest, EqualsBruteForceOnEveryBox) {
  constexpr SampleType kType = sample_type_of<TypeParam>();
  const std::vector<BlockShape> shapes{{kType, 1, 3, {7, 5, 3, 1, 1}},
                                       {kType, 1, 2, {33, 4, 1, 1, 1}},
                                       {kType, 3, 1, {21, 1, 1, 1, 1}},
                                       {kType, 2, 5, {3, 2, 2, 3, 2}}};
  std::mt19937_64 random(7);
  for (const BlockShape& shape : shapes) {
    const auto original = smooth_samples(shape);
    auto values = values_of<TypeParam>(original);
    for (auto& v : values) v = static_cast<TypeParam>(v + static_cast<TypeParam>(random() % 5) / 3);
    const auto decoded = bytes_of(values);
    expect_as_brute_force<TypeParam>(shape, whole(shape), original, decoded);
    for (int round = 0; round < 20; ++round) {
      Box inside = whole(shape);
      for (int a = 0; a < shape.rank; ++a) {
        inside.lo[a] = static_cast<Index>(random() % static_cast<std::uint64_t>(shape.count[a]));
        inside.hi[a] =
            inside.lo[a] +
            static_cast<Index>(random() % static_cast<std::uint64_t>(shape.count[a] - inside.lo[a] + 1));
      }
      expect_as_brute_force<TypeParam>(shape, inside, original, decoded);
    }
  }
}

template <class T>
MeasuredErrors errors_of(const std::vector<T>& x, const std::vector<T>& y) {
  const BlockShape shape{sample_type_of<T>(), 1, 1, {static_cast<Index>(x.size()), 1, 1, 1, 1}};
  return measure_errors(shape, whole(shape), bytes_of(x), bytes_of(y));
}

TEST(Measure, ExactDifferencesStayAsTheyAre) {
  EXPECT_EQ(errors_of<double>({1, 2, 3}, {1, 2, 3}).max, 0);
  EXPECT_EQ(errors_of<double>({1, 2, 3}, {1, 2, 3}).rms, 0);
  EXPECT_EQ(errors_of<double>({1, 2, 3, 4}, {1.25, 1.75, 3, 4.25}).max, 0.25);
  EXPECT_EQ(errors_of<double>({1, 2}, {1.25, 1.75}).rms, 0.25);
  EXPECT_EQ(errors_of<double>({0.0}, {-0.0}).max, 0);
}

TEST(Measure, RoundedDifferencesAreRoundedUp) {
  const double above_one = std::nextafter(1.0, 2.0);
  EXPECT_EQ(errors_of<double>({1, 0}, {-0x1p-60, 0}).max, above_one);
  EXPECT_EQ(errors_of<double>({-1, 0}, {0x1p-60, 0}).max, above_one);
  EXPECT_EQ(errors_of<double>({1, 0}, {0x1p-60, 0}).max, 1);  // rounded up already
  EXPECT_EQ(errors_of<float>({1, 0}, {-0x1p-60F, 0}).max, above_one);
  EXPECT_GT(rounded_up(errors_of<double>({1}, {-0x1p-60}).max), 1.0F);
}

TEST(Measure, IntegersOf64BitsDoNotWrap) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(errors_of<std::int64_t>({kLeast}, {kMost}).max, 0x1p64);
  EXPECT_EQ(errors_of<std::int64_t>({kMost}, {kMost - 1}).max, 1);
  EXPECT_EQ(errors_of<std::int64_t>({(std::int64_t{1} << 53) + 1}, {0}).max, 0x1p53 + 2);
  EXPECT_EQ(errors_of<std::uint64_t>({~std::uint64_t{0}}, {0}).max, 0x1p64);
}

TEST(Measure, SmallAndLargeDifferencesHaveBounds) {
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  const MeasuredErrors small = errors_of<double>({kSmallest, 0, 0}, {0, 0, 0});
  EXPECT_EQ(small.max, kSmallest);
  EXPECT_GT(small.rms, 0);
  EXPECT_EQ(rounded_up(small.max), std::numeric_limits<float>::denorm_min());
  const MeasuredErrors large = errors_of<double>({1e300, 0}, {-1e300, 0});
  EXPECT_EQ(large.max, 2e300);
  EXPECT_EQ(errors_of<double>({1.7e308}, {-1.7e308}).max, kInfinity);
}

TEST(Measure, RoundedUpIsTheLeastFloatThatIsNotSmaller) {
  EXPECT_EQ(rounded_up(0), 0.0F);
  EXPECT_EQ(rounded_up(0.25), 0.25F);
  EXPECT_EQ(rounded_up(1e-300), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(rounded_up(std::numeric_limits<float>::max()), std::numeric_limits<float>::max());
  EXPECT_EQ(rounded_up(3.5e38), std::numeric_limits<float>::infinity());
  EXPECT_EQ(rounded_up(kInfinity), std::numeric_limits<float>::infinity());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-50, 38);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::pow(10, exponent(random));
    const float up = rounded_up(value);
    EXPECT_GE(up, value);
    EXPECT_LT(std::nextafter(up, 0.0F), value);
  }
}

template <class T>
void check_all_finite() {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> finite{0,
                              T(-0.0),
                              1,
                              -1,
                              Limits::max(),
                              Limits::lowest(),
                              Limits::min(),
                              Limits::denorm_min(),
                              -Limits::denorm_min(),
                              Limits::epsilon(),
                              3,
                              4,
                              5};
  EXPECT_TRUE(all_finite(sample_type_of<T>(), bytes_of(finite)));
  for (const T bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN(),
                      Limits::signaling_NaN()}) {
    for (std::size_t i = 0; i < finite.size(); ++i) {
      auto values = finite;
      values[i] = bad;
      EXPECT_FALSE(all_finite(sample_type_of<T>(), bytes_of(values))) << i;
    }
  }
}

TEST(AllFinite, FindsEveryNanAndInfinity) {
  check_all_finite<float>();
  check_all_finite<double>();
  EXPECT_TRUE(all_finite(SampleType::kFloat64, {}));
  EXPECT_TRUE(all_finite(SampleType::kInt32, bytes_of(std::vector<std::int32_t>{0x7f800000, -1})));
}

}  // namespace
}  // namespace esker
