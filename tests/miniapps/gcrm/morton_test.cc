#include "morton.h"

#include <gtest/gtest.h>

namespace gcrm {
namespace {

TEST(Morton, BitsOfIAndJAlternate) {
  EXPECT_EQ(morton(0b101, 0b011), 0b011011);
  EXPECT_EQ(morton(1023, 1023), 1048575);
  const Index big = (Index{1} << 31) - 1;
  EXPECT_EQ(morton(big, 0), 0x1555555555555555);
}

TEST(Morton, DecodingInvertsEncoding) {
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) {
      EXPECT_EQ(morton_i(morton(i, j)), i);
      EXPECT_EQ(morton_j(morton(i, j)), j);
    }
  }
  const Index big = (Index{1} << 31) - 5;
  EXPECT_EQ(morton_i(morton(big, big / 3)), big);
  EXPECT_EQ(morton_j(morton(big, big / 3)), big / 3);
}

}  // namespace
}  // namespace gcrm
