// Strides that send two samples to the same memory are found, and only those.
#include "grid/memory_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace esker {
namespace {

/// Checks the address of each byte.
bool overlaps_by_force(const Patch& patch, int components) {
  std::map<Index, std::vector<Index>> owner_of;
  const Point extent = patch.box.extents();
  Index number = 0;
  for (Index z = 0; z < extent[2]; ++z) {
    for (Index y = 0; y < extent[1]; ++y) {
      for (Index x = 0; x < extent[0]; ++x) {
        for (int c = 0; c < components; ++c, ++number) {
          const Index at = x * patch.stride_bytes[0] + y * patch.stride_bytes[1] + z * patch.stride_bytes[2] +
                           c * patch.component_stride_bytes;
          for (Index b = 0; b < size_bytes(patch.type); ++b) owner_of[at + b].push_back(number);
        }
      }
    }
  }
  return std::any_of(owner_of.begin(), owner_of.end(), [](const auto& one) { return one.second.size() > 1; });
}

TEST(MemoryOverlap, AgreesWithBruteForce) {
  std::mt19937 random(7);
  int n_overlaps = 0;
  constexpr int kCases = 3000;
  for (int i = 0; i < kCases; ++i) {
    const auto number = [&](int least, int most) {
      return std::uniform_int_distribution<Index>(least, most)(random);
    };
    Patch patch;
    patch.box = {{0, 0, 0}, {number(1, 4), number(1, 4), number(1, 3)}};
    patch.type = number(0, 1) == 0 ? SampleType::kInt16 : SampleType::kFloat32;
    const int components = static_cast<int>(number(1, 3));
    for (int a = 0; a < 3; ++a) patch.stride_bytes[a] = number(-40, 40);
    patch.component_stride_bytes = number(-12, 12);
    const auto found = find_memory_overlap(patch, components);
    ASSERT_EQ(found.has_value(), overlaps_by_force(patch, components)) << i;
    n_overlaps += found ? 1 : 0;
  }
  EXPECT_GT(n_overlaps, kCases / 10);
  EXPECT_LT(n_overlaps, kCases - kCases / 10);
}

TEST(MemoryOverlap, NamesTwoValues) {
  const float data[60] = {};
  const Box box{{10, 20}, {15, 24}};
  const Patch flat = Patch::dense(box, data);  // a component is taken for the next sample
  EXPECT_FALSE(find_memory_overlap(flat, 1));
  const auto overlap = find_memory_overlap(flat, 3);
  ASSERT_TRUE(overlap);
  const auto offset = [](const Point& at, int component) { return at[0] + 5 * at[1] + component; };
  EXPECT_EQ(offset(overlap->first, overlap->first_component),
            offset(overlap->second, overlap->second_component));
  EXPECT_FALSE(find_memory_overlap(Patch::dense(box, data, 3), 3));
  EXPECT_NE(check_memory(flat, 3).message().find("component "), std::string::npos);

  const Status missing = check_memory(Patch::strided(box, data, {1}), 1);
  EXPECT_EQ(missing.code(), Code::kInvalidArgument);
  EXPECT_NE(missing.message().find("one stride per axis"), std::string::npos) << missing.message();
  EXPECT_FALSE(check_memory(Patch::strided(box, data, {1, 5, 20, 20, 20, 20, 20}), 1).ok());
}

TEST(MemoryOverlap, RepeatsAllowsZeroStrides) {
  const float data[60] = {};
  Patch patch = Patch::strided({{0, 0}, {5, 4}}, data, {1, 0});
  EXPECT_TRUE(find_memory_overlap(patch, 1));
  patch.repeats = true;
  EXPECT_FALSE(find_memory_overlap(patch, 1));
  patch.stride_bytes[1] = 4;  // windows that slide
  EXPECT_TRUE(find_memory_overlap(patch, 1));
}

TEST(MemoryOverlap, OfHugeStridesEnds) {
  constexpr Index kHuge = Index{1} << 60;
  Patch patch;
  patch.box = {{0, 0}, {kHuge, 2}};
  patch.stride_bytes = {std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max(), 0, 0, 0};
  EXPECT_TRUE(find_memory_overlap(patch, 1));  // one step forward along each is one byte back
  patch.stride_bytes = {kHuge, 0, 0, 0, 0};
  EXPECT_TRUE(find_memory_overlap(patch, 1));
  patch.stride_bytes = {kHuge, kHuge / 2, 0, 0, 0};
  EXPECT_FALSE(find_memory_overlap(patch, 1));
}

}  // namespace
}  // namespace esker
