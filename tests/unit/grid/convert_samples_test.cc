// Numbers of one type as those of another: exact, rounded, cut off, or refused by position.
#include "grid/convert_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace esker {
namespace {

/// The values as T; a refused value is given by the number of values converted before it.
template <class To, class From>
struct Converted {
  explicit Converted(std::vector<From> values) : to(values.size()) {
    n = convert_samples(sample_type_of<From>(), reinterpret_cast<const std::byte*>(values.data()),
                        sizeof(From), sample_type_of<To>(), reinterpret_cast<std::byte*>(to.data()),
                        static_cast<Index>(values.size()));
  }
  std::vector<To> to;
  Index n = 0;
};

template <class To, class From>
void expect(From from, To to) {
  const Converted<To, From> converted({from});
  ASSERT_EQ(converted.n, 1) << from;
  EXPECT_EQ(converted.to[0], to) << from;
}

template <class To, class From>
void expect_refused(From from) {
  const Converted<To, From> converted({From{1}, from, From{1}});
  EXPECT_EQ(converted.n, 1) << from;
}

TEST(ConvertSamples, RealsAreRounded) {
  expect<float>(0.1, 0.1F);
  expect<double>(0.1F, static_cast<double>(0.1F));
  expect<float>(-3.4028234e38, -std::numeric_limits<float>::max());
  expect<float>(1e-60, 0.0F);
  expect<float>(std::numeric_limits<double>::infinity(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(Converted<float, double>({std::nan("")}).to[0]));
  expect_refused<float>(1e39);
  expect_refused<float>(-1e39);
}

TEST(ConvertSamples, RealsLoseTheirFractionAsIntegers) {
  expect<std::int32_t>(2.9, 2);
  expect<std::int32_t>(-2.9, -2);
  expect<std::uint8_t>(-0.9F, std::uint8_t{0});
  expect<std::uint8_t>(255.9F, std::uint8_t{255});
  expect<std::int8_t>(-128.9, std::int8_t{-128});
  expect<std::int64_t>(-9223372036854775808.0, std::numeric_limits<std::int64_t>::min());
  expect_refused<std::uint8_t>(256.0F);
  expect_refused<std::uint8_t>(-1.0F);
  expect_refused<std::int8_t>(-129.0);
  expect_refused<std::int64_t>(9223372036854775808.0);
  expect_refused<std::uint64_t>(18446744073709551616.0);
  expect_refused<std::int32_t>(std::numeric_limits<double>::quiet_NaN());
  expect_refused<std::int32_t>(std::numeric_limits<float>::infinity());
}

TEST(ConvertSamples, IntegersKeepTheirValue) {
  expect<std::uint64_t>(std::int8_t{127}, std::uint64_t{127});
  expect<std::int8_t>(std::uint64_t{127}, std::int8_t{127});
  expect<double>(std::int64_t{1} << 53, 9007199254740992.0);
  expect<float>(std::uint64_t{1} << 63, 9223372036854775808.0F);
  expect_refused<std::uint64_t>(std::int8_t{-1});
  expect_refused<std::int8_t>(std::uint64_t{128});
  expect_refused<std::int64_t>(std::numeric_limits<std::uint64_t>::max());
}

TEST(ConvertSamples, TakesStridesOfAnyBytes) {
  std::vector<std::byte> source(64);
  for (int i = 0; i < 5; ++i) {
    const double value = 1.5 * i;
    std::memcpy(source.data() + 1 + 11 * (4 - i), &value, sizeof(value));
  }
  float to[5] = {};
  EXPECT_EQ(convert_samples(SampleType::kFloat64, source.data() + 45, -11, SampleType::kFloat32,
                            reinterpret_cast<std::byte*>(to), 5),
            5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(to[i], 1.5F * static_cast<float>(i));
}

}  // namespace
}  // namespace esker
