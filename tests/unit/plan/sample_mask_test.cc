#include "plan/sample_mask.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;

using Runs = std::vector<std::pair<Index, Index>>;

Runs runs_of(const SampleMask& mask) {
  Runs runs;
  (void)mask.for_each_run([&](Index begin, Index end) {
    runs.emplace_back(begin, end);
    return Status();
  });
  return runs;
}

/// The runs of set elements.
Runs runs_in(const std::vector<bool>& held) {
  Runs runs;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (!held[i]) continue;
    const auto at = static_cast<Index>(i);
    if (runs.empty() || runs.back().second != at) runs.emplace_back(at, at);
    runs.back().second = at + 1;
  }
  return runs;
}

TEST(SampleMask, ListsTheRunsOfWhatIsHeld) {
  Random random(2);
  for (int n = 0; n < 500; ++n) {
    const int rank = 1 + n % kMaxRank;
    Point count{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) count[a] = random.in(1, 5);
    const Box part = Box::from_extent(rank, count);
    const SampleOrder order = row_major_order(rank, count);
    const Index first = random.in(0, 9), total = first + part.num_samples() + random.in(0, 9);
    std::vector<std::byte> memory(static_cast<std::size_t>(total), std::byte{1});  // cleared by the mask
    std::vector<bool> held(memory.size());
    SampleMask mask(memory);
    for (Index boxes = random.in(0, 3); boxes > 0; --boxes) {
      const Box box = random.box_in(part);
      mask.hold(box, order, first);
      for (const Point& point : points_of(box))
        held[static_cast<std::size_t>(first + order.at(point))] = true;
    }
    ASSERT_EQ(runs_of(mask), runs_in(held));
  }
}

TEST(SampleMask, StopsAtAnError) {
  std::vector<std::byte> memory(5);
  SampleMask mask(memory);
  const SampleOrder order = row_major_order(1, {5, 1, 1, 1, 1});
  mask.hold(Box{{0}, {1}}, order, 0);
  mask.hold(Box{{3}, {5}}, order, 0);
  int calls = 0;
  const Status status = mask.for_each_run([&](Index, Index) {
    ++calls;
    return Status(Code::kIoError, "full");
  });
  EXPECT_EQ(status.code(), Code::kIoError);
  EXPECT_EQ(calls, 1);
}

TEST(SampleMask, HoldsNothingOfAPieceWithoutSamples) {
  const SampleMask mask({});
  EXPECT_TRUE(runs_of(mask).empty());
}

}  // namespace
}  // namespace esker
