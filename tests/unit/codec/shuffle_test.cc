#include "codec/shuffle.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace esker {
namespace {

TEST(Shuffle, GroupsBytesByTheirPlace) {
  std::vector<std::byte> values, expected;
  for (const int byte : {0x10, 0x20, 0x30, 0x40, 0x11, 0x21, 0x31, 0x41}) values.push_back(std::byte(byte));
  for (const int byte : {0x10, 0x11, 0x20, 0x21, 0x30, 0x31, 0x40, 0x41}) expected.push_back(std::byte(byte));
  std::vector<std::byte> shuffled(values.size());
  shuffle(values, 4, shuffled);
  EXPECT_EQ(shuffled, expected);
}

TEST(Shuffle, IsUndone) {
  for (const Index bytes : {1, 2, 4, 8}) {
    for (const std::size_t n : {0, 1, 1023, 1024, 1025, 5000}) {
      std::vector<std::byte> values(n * static_cast<std::size_t>(bytes)), shuffled(values.size()), back(values.size());
      unsigned next = 1;
      for (std::byte& byte : values) byte = static_cast<std::byte>((next = 1664525 * next + 1013904223) >> 24);
      shuffle(values, bytes, shuffled);
      unshuffle(shuffled, bytes, back);
      EXPECT_EQ(back, values) << bytes << " " << n;
    }
  }
}

}  // namespace
}  // namespace esker
