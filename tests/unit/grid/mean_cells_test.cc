// Sums and means of cells: rounding, exact sums, missing values, cells at the end of an axis.
#include "grid/mean_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace esker {
namespace {

/// The means of the cells of a row.
template <class T>
std::vector<T> means_of(const std::vector<T>& samples, const MissingValues& missing = {}) {
  const CellSums sums = CellSums::of(sample_type_of<T>());
  std::vector<T> means((samples.size() + 1) / 2);
  std::vector<std::byte> row(means.size() * static_cast<std::size_t>(sums.bytes));
  sums.clear(row.data(), std::ssize(means));
  const auto* data = reinterpret_cast<const std::byte*>(samples.data());
  sums.add_samples({data, sizeof(T), 0, std::ssize(samples)}, missing, row.data());
  sums.write_means(row.data(), std::ssize(means), missing, reinterpret_cast<std::byte*>(means.data()),
                   sizeof(T));
  return means;
}

template <class T>
MissingValues missing(std::vector<T> values) {
  MissingValues all;
  for (const T value : values)
    std::memcpy(&all.values[static_cast<std::size_t>(all.count++)], &value, sizeof(T));
  return all;
}

TEST(MeanCells, IntegersAreRoundedToTheNearestAndToEven) {
  using List = std::vector<std::int16_t>;
  EXPECT_EQ(means_of<std::int16_t>({0, 1, 1, 2, 2, 3, 5, 5, 7}), (List{0, 2, 2, 5, 7}));
  EXPECT_EQ(means_of<std::int16_t>({0, -1, -1, -2, -2, -3, -5, -6, -7}), (List{0, -2, -2, -6, -7}));
}

template <class T>
class MeansOfIntegers : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(MeansOfIntegers, Integers);

TYPED_TEST(MeansOfIntegers, AreExactAtTheEndsOfTheType) {
  using T = TypeParam;
  const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const T odd = static_cast<T>(most - 2);
  EXPECT_EQ(means_of<T>({most, most, least, least, most, odd, least}),
            (std::vector<T>{most, least, static_cast<T>(most - 1), least}));
  const std::vector<T> given{most, odd, most, most, least};
  EXPECT_EQ(means_of<T>(given, missing<T>({most, least})), (std::vector<T>{odd, most, most}));
}

TEST(MeanCells, RealsWithoutSamplesAreTheFillValueOrNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), fill = -9999;
  const std::vector<double> means = means_of<double>({1, nan, nan, nan, 2, 4, 0.5});
  EXPECT_EQ(means[0], 1);
  EXPECT_TRUE(std::isnan(means[1]));
  EXPECT_EQ(means[2], 3);
  EXPECT_EQ(means[3], 0.5);
  EXPECT_EQ(means_of<double>({fill, 3, nan, fill, 1e20, fill, 8, 9}, missing<double>({fill, 1e20})),
            (std::vector<double>{3, fill, fill, 8.5}));
}

TEST(MeanCells, SumsOfFloatAreDouble) {
  EXPECT_EQ(means_of<float>({1e8F, -1e8F, 16777216.F, 1.F})[1], 8388608.5F);
  EXPECT_EQ(means_of<float>({3e38F, 3e38F})[0], 3e38F);
}

TEST(MeanCells, OneNaNOfInfinities) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double mean = means_of<double>({infinity, -infinity})[0];
  EXPECT_TRUE(std::isnan(mean) && !std::signbit(mean));
  EXPECT_EQ(means_of<double>({infinity, 1})[0], infinity);
}

}  // namespace
}  // namespace esker
