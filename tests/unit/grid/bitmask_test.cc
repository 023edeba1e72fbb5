#include "grid/bitmask.h"

#include <gtest/gtest.h>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::as_set;
using testing_support::BruteOrder;
using testing_support::for_random_masks;
using testing_support::points_of;
using testing_support::Random;

std::string mask_for(std::initializer_list<Index> extents) {
  Point extent{};
  std::copy(extents.begin(), extents.end(), extent.begin());
  return Bitmask::for_extent(static_cast<int>(extents.size()), extent).value().to_string();
}

TEST(Bitmask, DefaultOfOpenVisus) {
  EXPECT_EQ(mask_for({100, 37}), "V0101010101010");
  EXPECT_EQ(mask_for({20, 33, 17}), "V0120120120120121");
  EXPECT_EQ(mask_for({8, 8}), "V010101");
  EXPECT_EQ(mask_for({16, 16, 16}), "V012012012012");
  EXPECT_EQ(mask_for({13, 7}), "V0101010");
  EXPECT_EQ(mask_for({33, 70}), "V0101010101011");
  EXPECT_EQ(mask_for({6, 5, 4, 7}), "V01230123013");
  EXPECT_EQ(mask_for({2}), "V0");
  EXPECT_EQ(mask_for({3}), "V00");
}

TEST(Bitmask, LongestFirst) {
  const auto mask_for = [](int rank, const Point& extent) {
    return Bitmask::longest_first(rank, extent).value().to_string();
  };
  EXPECT_EQ(mask_for(2, {100, 37}), "V0010101010101");
  EXPECT_EQ(mask_for(3, {20, 33, 17}), "V1012012012012012");
  EXPECT_EQ(mask_for(3, {128, 128, 64}), "V01012012012012012012");
  EXPECT_EQ(mask_for(3, {128, 64, 64}), "V0012012012012012012");
  EXPECT_EQ(mask_for(3, {16, 16, 16}), "V012012012012");
  EXPECT_EQ(mask_for(3, {8, 8, 1}), "V2010101");
  EXPECT_EQ(mask_for(1, {3}), "V00");
}

TEST(Bitmask, LongestFirstHasTheDigitsOfTheDefault) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const int rank = 1 + i % 5;
    const Point extent = random.point_in(Box(rank, {1, 1, 1, 1, 1}, {900, 700, 500, 300, 200}));
    EXPECT_EQ(Bitmask::longest_first(rank, extent).value().pow2_box(),
              Bitmask::for_extent(rank, extent).value().pow2_box());
  }
}

TEST(Bitmask, AxesOfExtentOneGetOneDigitFirst) {
  EXPECT_EQ(mask_for({1}), "V0");
  EXPECT_EQ(mask_for({8, 8, 1}), "V2010101");
  EXPECT_EQ(mask_for({1, 4, 1, 2}), "V02131");
  EXPECT_EQ(mask_for({1, 1, 1, 1, 1}), "V01234");
}

TEST(Bitmask, DefaultCoversTheGridTightly) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const int rank = 1 + i % 5;
    const Point extent = random.point_in(Box(rank, {1, 1, 1, 1, 1}, {900, 700, 500, 300, 200}));
    const Bitmask mask = Bitmask::for_extent(rank, extent).value();
    ASSERT_EQ(mask.rank(), rank);
    for (int a = 0; a < rank; ++a) {
      const Index size = mask.pow2_box().hi[a];
      ASSERT_GE(size, extent[a]);
      ASSERT_TRUE(size / 2 < extent[a] || extent[a] == 1) << size << " for " << extent[a];
    }
  }
}

TEST(Bitmask, LongestFirstRefusesImpossibleExtents) {
  EXPECT_EQ(Bitmask::longest_first(6, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::longest_first(2, {4, 0}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::longest_first(2, {Index{1} << 62, 1}).status().code(), Code::kInvalidArgument);
}

TEST(Bitmask, ForExtentRefusesImpossibleExtents) {
  EXPECT_EQ(Bitmask::for_extent(0, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(6, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(2, {4, 0}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(2, {-4, 4}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(1, {Index{1} << 62}).value().max_level(), 62);
  EXPECT_EQ(Bitmask::for_extent(1, {(Index{1} << 62) + 1}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(2, {Index{1} << 31, Index{1} << 32}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Bitmask::for_extent(2, {Index{1} << 62, 1}).status().code(), Code::kInvalidArgument);
}

TEST(Bitmask, ParsesAnyMask) {
  const Bitmask mask = Bitmask::parse("V1111000101").value();
  EXPECT_EQ(mask.rank(), 2);
  EXPECT_EQ(mask.max_level(), 10);
  EXPECT_EQ(mask.digit(1), 1);
  EXPECT_EQ(mask.digit(5), 0);
  EXPECT_EQ(mask.digit(10), 1);
  EXPECT_EQ(mask.pow2_box(), (Box{{0, 0}, {16, 64}}));
  EXPECT_EQ(mask.to_string(), "V1111000101");
  EXPECT_EQ(mask, Bitmask::parse("V1111000101").value());
  EXPECT_FALSE(mask == Bitmask::parse("V1111000110").value());
  EXPECT_EQ(Bitmask::parse("V210210210202").value().pow2_box(), (Box{{0, 0, 0}, {16, 8, 32}}));
}

TEST(Bitmask, AxisWithoutDigitHasOneIndex) {
  const Bitmask mask = Bitmask::parse("V0202").value();
  EXPECT_EQ(mask.rank(), 3);
  EXPECT_EQ(mask.pow2_box(), (Box{{0, 0, 0}, {4, 1, 4}}));
}

TEST(Bitmask, ParseRefusesInvalidMasks) {
  for (const char* text : {"", "V", "0101", "v01", "V01x", "V0 1", "V-1", "V01\n"}) {
    EXPECT_EQ(Bitmask::parse(text).status().code(), Code::kInvalidArgument) << text;
  }
  EXPECT_EQ(Bitmask::parse("F0101").status().code(), Code::kUnsupported);
  EXPECT_EQ(Bitmask::parse("V012345").status().code(), Code::kUnsupported);
  EXPECT_TRUE(Bitmask::parse("V" + std::string(62, '0')).ok());
  EXPECT_EQ(Bitmask::parse("V" + std::string(63, '0')).status().code(), Code::kInvalidArgument);
  EXPECT_LT(Bitmask::parse("V" + std::string(1000000, '0')).status().message().size(), 200U);
}

TEST(Bitmask, CountsDigitsAndWeights) {
  for_random_masks(5, 50, 62, [](const std::string& text, const Bitmask& mask, Random& random) {
    for (int position = 1; position <= mask.max_level(); ++position) {
      const char c = text[position];
      ASSERT_EQ(mask.digit(position), c - '0');
      const auto later = std::count(text.begin() + position + 1, text.end(), c);
      ASSERT_EQ(mask.weight(position), Index{1} << later);
    }
    for (int i = 0; i < 20; ++i) {
      const int axis = static_cast<int>(random.in(0, mask.rank() - 1));
      const int first = static_cast<int>(random.in(1, mask.max_level()));
      const int last = static_cast<int>(random.in(first, mask.max_level()));
      ASSERT_EQ(mask.num_digits(axis, first, last),
                std::count(text.begin() + first, text.begin() + last + 1, '0' + axis));
      ASSERT_EQ(mask.num_digits(axis, last + 1, last), 0);
    }
  });
}

TEST(Bitmask, LevelLatticesHoldTheSamplesOfTheBisection) {
  for_random_masks(6, 60, 11, [](const std::string& text, const Bitmask& mask, Random&) {
    const BruteOrder order(text);
    std::set<Point> so_far;
    for (int level = 0; level <= mask.max_level(); ++level) {
      const std::set<Point> added = as_set(order.new_at_level[level]);
      so_far.insert(added.begin(), added.end());
      ASSERT_EQ(as_set(points_of(mask.samples_new_at(level))), added) << "level " << level;
      ASSERT_EQ(as_set(points_of(mask.samples_up_to(level))), so_far) << "level " << level;
      ASSERT_EQ(mask.samples_new_at(level).num_samples(), static_cast<Index>(added.size()));
    }
  });
}

}  // namespace
}  // namespace esker
