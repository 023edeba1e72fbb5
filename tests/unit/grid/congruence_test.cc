#include "grid/congruence.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

TEST(Congruence, FindsTheFirstMeetingOfAllSmallRows) {
  for (Index first = -7; first < 8; ++first) {
    for (Index stride = 1; stride < 13; ++stride) {
      for (Index other = 1; other < 13; ++other) {
        for (const Index from : {Index{-5}, Index{0}, Index{9}}) {
          const auto found = first_meeting({first, stride}, {3, other}, from);
          std::optional<Index> expected;
          for (Index i = from; i < from + other && !expected; ++i) {
            if ((first + i * stride - 3) % other == 0) expected = i;
          }
          ASSERT_EQ(found, expected) << first << " " << stride << " " << other << " " << from;
        }
      }
    }
  }
}

TEST(Congruence, HoldsForLargeStrides) {
  const Index prime = 4611686018427387847;  // below 2^62
  const auto found = first_meeting({0, Index{1} << 40}, {Index{1} << 41, prime}, 0);
  EXPECT_EQ(found, 2);
  EXPECT_EQ(first_meeting({1, Index{1} << 40}, {0, Index{1} << 41}, 0), std::nullopt);
}

}  // namespace
}  // namespace esker
