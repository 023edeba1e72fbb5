// RowMajorReader, compared with a walk over all samples; and its number of reads.
#include "read/row_major_reader.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "grid/points.h"
#include "store/faulty_store.h"

namespace esker {
namespace {

constexpr Index kOffset = 100;

/// A file with `n` numbers from kOffset on; each number is its position.
std::shared_ptr<Store> store_with(Index n) {
  auto store = memory_store();
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  store->open("a", OpenMode::kWrite).value()->write_at(std::as_bytes(std::span(numbers)), kOffset).check();
  return store;
}

/// The numbers at the samples of the selection, x fastest.
std::vector<std::int32_t> expected_numbers(const Point& extent, const Lattice& selection) {
  std::vector<std::int32_t> numbers;
  for_each_index_point(selection.all_indices(), [&](const Point& i) {
    Index at = 0;
    for (int a = selection.rank - 1; a >= 0; --a) at = at * extent[a] + selection.point(i)[a];
    numbers.push_back(static_cast<std::int32_t>(at));
  });
  return numbers;
}

/// The number of reads; compares the samples.
int reads_of(const std::shared_ptr<Store>& store, const Point& extent, const Lattice& selection) {
  int reads = 0;
  const auto counting = faulty_store(store, [&](StoreCall call, const std::string&) {
    reads += call == StoreCall::kRead ? 1 : 0;
    return 0;
  });
  const auto file = counting->open("a", OpenMode::kRead).value();
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(selection.num_samples()), -1);
  std::size_t decoded = 0;
  const auto decode = [&](std::span<std::byte> bytes) { decoded += bytes.size(); };
  RowMajorReader reader(*file, kOffset, extent, 4, selection);
  const Status status = reader.read(reinterpret_cast<std::byte*>(numbers.data()), decode);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(decoded, numbers.size() * 4);
  EXPECT_TRUE(numbers == expected_numbers(extent, selection)) << selection.to_string();
  return reads;
}

TEST(RowMajorReader, ReadsAnyLattice) {
  std::mt19937 random(3);
  const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 400; ++round) {
    Point extent{1, 1, 1, 1, 1};
    Lattice selection;
    selection.rank = 1 + static_cast<int>(below(5));
    Index n = 1;
    for (int a = 0; a < selection.rank; ++a) {
      extent[a] = 1 + below(round % 3 == 0 && a < 2 ? 700 : 7);
      n *= extent[a];
      selection.origin[a] = below(extent[a]);
      selection.stride[a] = Index{1} << below(4);
      selection.count[a] = 1 + below((extent[a] - 1 - selection.origin[a]) / selection.stride[a] + 1);
    }
    reads_of(store_with(n), extent, selection);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RowMajorReader, ALatticeWithoutSamplesReadsNothing) {
  Lattice selection;
  selection.rank = 2;
  selection.count = {3, 0, 1, 1, 1};
  EXPECT_EQ(reads_of(store_with(16), {4, 4, 1, 1, 1}, selection), 0);
}

TEST(RowMajorReader, ReadsThroughSmallGaps) {
  const Point extent{256, 256, 16, 1, 1};  // 4 MiB
  const auto store = store_with(256 * 256 * 16);
  const auto reads = [&](const Point& stride, const Point& count) {
    Lattice selection;
    selection.rank = 3;
    selection.stride = stride;
    selection.count = count;
    return reads_of(store, extent, selection);
  };
  EXPECT_EQ(reads({1, 1, 1, 1, 1}, {256, 256, 16, 1, 1}), 4) << "the whole, 1 MiB at a time";
  EXPECT_EQ(reads({4, 4, 1, 1, 1}, {64, 64, 16, 1, 1}), 4) << "gaps of 3 KiB";
  EXPECT_EQ(reads({1, 64, 8, 1, 1}, {256, 4, 2, 1, 1}), 8) << "gaps of 63 KiB";
  EXPECT_EQ(reads({128, 128, 8, 1, 1}, {2, 2, 2, 1, 1}), 4) << "half a KiB, half a row of planes";
}

}  // namespace
}  // namespace esker
