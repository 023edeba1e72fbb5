#include "grid/hz.h"

#include <gtest/gtest.h>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::BruteOrder;
using testing_support::for_random_masks;
using testing_support::Random;

TEST(Hz, AddressesFollowTheBisection) {
  for_random_masks(7, 100, 13, [](const std::string& text, const Bitmask& mask, Random&) {
    const BruteOrder order(text);
    for (Index z = 0; z < static_cast<Index>(order.z_order.size()); ++z) {
      const Point& p = order.z_order[z];
      const Index hz = order.hz.at(p);
      ASSERT_EQ(z_from_point(mask, p), z);
      ASSERT_EQ(point_from_z(mask, z), p);
      ASSERT_EQ(hz_from_z(mask, z), hz);
      ASSERT_EQ(z_from_hz(mask, hz), z);
      ASSERT_EQ(hz_from_point(mask, p), hz);
      ASSERT_EQ(point_from_hz(mask, hz), p);
    }
  });
}

TEST(Hz, LevelsAreRangesOfAddresses) {
  for_random_masks(8, 20, 12, [](const std::string& text, const Bitmask& mask, Random&) {
    const BruteOrder order(text);
    Index hz = 0;
    for (int level = 0; level <= mask.max_level(); ++level) {
      ASSERT_EQ(first_hz_of_level(level), hz);
      for (std::size_t i = 0; i < order.new_at_level[level].size(); ++i) ASSERT_EQ(level_of_hz(hz++), level);
    }
    ASSERT_EQ(first_hz_of_level(mask.max_level() + 1), hz);
  });
}

/// One sample's way down the bisection: its Z digits, and the first split whose cells have it as corner.
struct Descent {
  std::vector<bool> upper;
  int level = 0;
};

Descent descend(const std::string& mask, const Point& p) {
  Descent d;
  Point corner{}, size{1, 1, 1, 1, 1};
  for (const char c : mask.substr(1)) size[c - '0'] *= 2;
  for (std::size_t i = 1; i < mask.size(); ++i) {
    const int axis = mask[i] - '0';
    size[axis] /= 2;
    d.upper.push_back(p[axis] - corner[axis] >= size[axis]);
    if (!d.upper.back()) continue;
    corner[axis] += size[axis];
    d.level = static_cast<int>(i);
  }
  EXPECT_EQ(corner, p);
  return d;
}

TEST(Hz, LargeMasksSampled) {
  for_random_masks(9, 300, 62, [](const std::string& text, const Bitmask& mask, Random& random) {
    for (int i = 0; i < 50; ++i) {
      const Point p = random.point_in(mask.pow2_box());
      const Descent d = descend(text, p);
      Index z = 0, rank_in_level = 0;
      for (int k = 0; k < mask.max_level(); ++k) {
        z = 2 * z + d.upper[k];
        if (k + 2 == d.level) rank_in_level = z;
      }
      const Index hz = d.level == 0 ? 0 : (Index{1} << (d.level - 1)) + rank_in_level;
      ASSERT_EQ(z_from_point(mask, p), z);
      ASSERT_EQ(point_from_z(mask, z), p);
      ASSERT_EQ(hz_from_point(mask, p), hz);
      ASSERT_EQ(point_from_hz(mask, hz), p);
      ASSERT_EQ(level_of_hz(hz), d.level);
    }
  });
}

TEST(Hz, TheLargestMask) {
  const Bitmask mask = Bitmask::parse("V" + std::string(62, '0')).value();
  const Index last = (Index{1} << 62) - 1;
  EXPECT_EQ(hz_from_point(mask, {last}), last);
  EXPECT_EQ(point_from_hz(mask, last), (Point{last}));
  EXPECT_EQ(hz_from_point(mask, {Index{1} << 61}), 1);
  EXPECT_EQ(z_from_hz(mask, 1), Index{1} << 61);
  EXPECT_EQ(first_hz_of_level(63), Index{1} << 62);
}

}  // namespace
}  // namespace esker
