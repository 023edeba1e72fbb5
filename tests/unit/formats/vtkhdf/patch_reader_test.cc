#include "formats/vtkhdf/patch_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "read/counted_file.h"
#include "store/store.h"
#include "unit/grid/brute_force.h"

namespace esker::vtkhdf {
namespace {

using testing_support::points_of;
using testing_support::Random;

constexpr Index kOffset = 24;

/// A patch whose samples are numbered in the order of the file.
class PatchFile {
 public:
  explicit PatchFile(const Box& box) : patch_{box, kOffset, sizeof(Index)} {
    std::vector<Index> values(static_cast<std::size_t>(box.num_samples()));
    std::iota(values.begin(), values.end(), 0);
    store_->open("file", OpenMode::kWrite)
        .value()
        ->write_at(std::as_bytes(std::span(values)), kOffset)
        .check();
    file_ = store_->open("file", OpenMode::kRead).value();
  }

  /// Bytes that were read.
  Index expect_read(const Point& ratio, const Lattice& samples, const Box& indices) {
    std::vector<Index> found(static_cast<std::size_t>(samples.num_samples()), -1);
    std::vector<Index> expected = found;
    ReadCounters counters;
    const CountedFile counted(*file_, counters);
    read_patch(counted, patch_, ratio, samples, indices, reinterpret_cast<std::byte*>(found.data())).check();
    for (const Point& at : points_of(indices)) {
      Index number = 0, place = 0, before = 1, before_out = 1;
      for (int a = 0; a < samples.rank; ++a) {
        const Index of_level = (samples.origin[a] + at[a] * samples.stride[a]) / ratio[a];
        number += (of_level - patch_.box.lo[a]) * before;
        before *= patch_.box.extent(a);
        place += at[a] * before_out;
        before_out *= samples.count[a];
      }
      expected[static_cast<std::size_t>(place)] = number;
    }
    EXPECT_EQ(found, expected);
    return counters.bytes;
  }

 private:
  std::shared_ptr<Store> store_ = memory_store();
  StoredPatch patch_;
  std::unique_ptr<File> file_;
};

TEST(PatchReader, ReadsAnyStridesOfAnyRatio) {
  Random random(7);
  for (int n = 0; n < 300; ++n) {
    const int rank = static_cast<int>(random.in(1, 3));
    Box box = Box::from_extent(rank, {});
    Lattice samples;
    samples.rank = rank;
    Point ratio{1, 1, 1, 1, 1};
    Box indices = Box::from_extent(rank, {});
    for (int a = 0; a < rank; ++a) {
      ratio[a] = random.in(1, 6);
      box.lo[a] = random.in(0, 3);
      box.hi[a] = box.lo[a] + random.in(1, a == 0 ? 600 : 40);
      samples.stride[a] = random.in(1, 15);
      samples.origin[a] = box.lo[a] * ratio[a] + random.in(0, ratio[a] - 1);
      samples.count[a] = (box.hi[a] * ratio[a] - 1 - samples.origin[a]) / samples.stride[a] + 1;
      indices.hi[a] = samples.count[a];
      indices.lo[a] = random.in(0, samples.count[a] - 1);
    }
    PatchFile file(box);
    (void)file.expect_read(ratio, samples, indices);
  }
}

TEST(PatchReader, SkipsPlanesThatNoSampleNeeds) {
  PatchFile file(Box::from_extent(3, {64, 64, 64}));  // planes of 32 KiB
  Lattice samples;
  samples.rank = 3;
  samples.stride = {5, 5, 5, 1, 1};
  samples.count = {26, 26, 26, 1, 1};
  const Index bytes = file.expect_read({2, 2, 2, 1, 1}, samples, Box::from_extent(3, samples.count));
  EXPECT_LE(bytes, 26 * 64 * 64 * static_cast<Index>(sizeof(Index)));
}

}  // namespace
}  // namespace esker::vtkhdf
