#include "base/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace esker {
namespace {

constexpr Index kHugePage = Index{2} << 20;

// Sizes on both sides of a huge page are allocated, and freed, in different ways.
TEST(Scratch, GrowsAndKeepsItsMemory) {
  Scratch scratch;
  const std::byte* last = nullptr;
  for (const Index size : {Index{1}, kHugePage - 1, kHugePage, kHugePage + 1, 3 * kHugePage}) {
    const auto memory = scratch.get(size);
    ASSERT_EQ(memory.size(), static_cast<std::size_t>(size));
    std::fill(memory.begin(), memory.end(), std::byte{1});
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    EXPECT_TRUE(size < kHugePage || address % kHugePage == 0);
    last = memory.data();
  }
  EXPECT_EQ(scratch.get(kHugePage).data(), last);
  EXPECT_EQ(scratch.get(0).size(), 0U);
  Scratch moved = std::move(scratch);
  EXPECT_EQ(moved.get(kHugePage).data(), last);
}

}  // namespace
}  // namespace esker
