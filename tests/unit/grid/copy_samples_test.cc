#include "grid/copy_samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "support/offsets.h"

namespace esker {
namespace {

using testing_support::offsets;

/// Reference: element by element, from the offsets.
void copy_one_by_one(Index element_bytes, const std::byte* source, const SampleMap& from, std::byte* target,
                     const SampleMap& to, int axis = 0) {
  if (axis == from.num_axes()) {
    std::memcpy(target, source, static_cast<std::size_t>(element_bytes));
    return;
  }
  for (Index i = 0; i < from.axis(axis).count; ++i) {
    copy_one_by_one(element_bytes, source + from.offset(axis, i), from, target + to.offset(axis, i), to,
                    axis + 1);
  }
}

std::vector<std::byte> numbered(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

/// Dense strides with the axes in the given order, fastest first.
std::array<Index, kMaxRank> dense_strides(const Box& box, const std::vector<int>& order,
                                          Index element_bytes) {
  std::array<Index, kMaxRank> strides{};
  Index stride = element_bytes;
  for (const int a : order) {
    strides[a] = stride;
    stride *= box.extent(a);
  }
  return strides;
}

TEST(CopySamples, EveryAxisOrderAndElementSizeMatchesOneByOne) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const int rank = 1 + static_cast<int>(random() % 4);
    const Index element = std::array<Index, 6>{1, 2, 4, 8, 16, 12}[random() % 6];
    Box box;
    box.rank = rank;
    for (int a = 0; a < rank; ++a) {
      box.lo[a] = static_cast<Index>(random() % 5);
      box.hi[a] = box.lo[a] + 1 + static_cast<Index>(random() % (rank < 3 ? 70 : 12));
    }
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const SampleMap from = SampleMap::strided(box, dense_strides(box, order, element));
    const SampleMap to = SampleMap::dense(box, element);
    const auto n = static_cast<std::size_t>(box.num_samples() * element);
    const auto source = numbered(n);
    std::vector<std::byte> target(n + 1, std::byte{0xee});
    std::vector<std::byte> expected(n + 1, std::byte{0xee});
    copy_one_by_one(element, source.data(), from, expected.data(), to);
    copy_samples(element, source.data(), from, target.data(), to);
    ASSERT_EQ(target, expected) << box.to_string() << " element " << element;
  }
}

/// Columns of the source become rows of the target. The source ends with its last element, so that the
/// address sanitizer finds reads behind it.
TEST(CopySamples, TransposesBetweenPaddedArraysOfAnyDirectionAndStep) {
  std::mt19937 random(8);
  const auto any = [&](Index n) { return static_cast<Index>(random()) % n; };
  for (int round = 0; round < 1200; ++round) {
    const Index element = round % 2 == 0 ? 4 : 8;
    const bool is_narrow = any(3) == 0, is_low = any(3) == 0;
    const Index nx = 1 + any(is_narrow ? 6 : 40), ny = 1 + any(is_low ? 6 : 140);
    const Index step = (1 + any(4)) * element;            // from row to row at the source
    const Index column = (ny + any(5)) * step + element;  // from column to column there
    const Index row = (nx + any(5)) * element;            // at the target
    const bool is_reversed = any(2) == 0, is_upside_down = any(2) == 0;
    const Box box = Box::from_extent(2, {nx, ny});
    const SampleMap from =
        SampleMap::strided(box, {is_reversed ? -column : column, is_upside_down ? -step : step});
    const SampleMap to = SampleMap::strided(box, {element, row});
    const auto source = numbered(static_cast<std::size_t>((nx - 1) * column + (ny - 1) * step + element));
    const std::byte* first =
        source.data() + (is_reversed ? (nx - 1) * column : 0) + (is_upside_down ? (ny - 1) * step : 0);
    std::vector<std::byte> target(static_cast<std::size_t>(ny * row), std::byte{0xee});
    std::vector<std::byte> expected = target;
    copy_one_by_one(element, first, from, expected.data(), to);
    copy_samples(element, first, from, target.data(), to);
    ASSERT_EQ(target, expected) << box.to_string() << " element " << element << " step " << step;
  }
}

TEST(CopySamples, NegativeStridesAndOrders) {
  const Box box{{0, 0}, {5, 4}};
  const SampleOrder order{.rank = 2, .has_bits = true, .axes = {0b10101, 0b01010}};
  const auto source = numbered(400);
  std::vector<std::byte> target(200), expected(200);
  const SampleMap from = SampleMap::strided(box, {-8, -40});
  const SampleMap to = SampleMap::ordered(box, order, 4);
  copy_one_by_one(4, source.data() + 300, from, expected.data(), to);
  copy_samples(4, source.data() + 300, from, target.data(), to);
  EXPECT_EQ(target, expected);
}

TEST(CopySamples, StepsPickEveryNthIndex) {
  const SampleOrder x{.rank = 2, .has_bits = true, .axes = {0b1111, 0b110000}};
  const SampleMap map = SampleMap::ordered(Box{{2, 1}, {10, 4}}, x, 8, {3, 1, 1, 1, 1});
  EXPECT_EQ(offsets(map, 0), (std::vector<Index>{16, 40, 64}));
  EXPECT_EQ(offsets(map, 1), (std::vector<Index>{128, 256, 384}));
  const SampleOrder interleaved{.rank = 1, .has_bits = true, .axes = {0b1010101}};
  EXPECT_EQ(offsets(SampleMap::ordered(Box{{1}, {16}}, interleaved, 1, {4, 1, 1, 1, 1}), 0),
            (std::vector<Index>{1, 17, 65, 81}));
}

TEST(CopySamples, ComponentsFarApart) {
  const Box box{{0, 0}, {6, 5}};
  const auto source = numbered(3 * 30 * 4);
  SampleMap from = SampleMap::strided(box, {4, 24});
  from.add_strided(3, 120);  // three planes of components
  SampleMap to = SampleMap::dense(box, 12);
  to.add_strided(3, 4);
  std::vector<std::byte> target(360), expected(360);
  copy_one_by_one(4, source.data(), from, expected.data(), to);
  copy_samples(4, source.data(), from, target.data(), to);
  EXPECT_EQ(target, expected);
}

TEST(CopySamples, EmptyBoxesTouchNothing) {
  const Box box{{3, 0}, {3, 4}};
  std::byte byte{0x55};
  copy_samples(1, &byte, SampleMap::dense(box, 1), &byte, SampleMap::dense(box, 1));
  EXPECT_EQ(byte, std::byte{0x55});
}

}  // namespace
}  // namespace esker
