// Rounds move each cell that has bytes once from each rank, and keep to the limits.
#include "transfer/run_rounds.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace esker {
namespace {

constexpr Index kBegin = 3 << 12, kCellBytes = 256;

CellLoads random_loads(int n_ranks, std::mt19937& random) {
  CellLoads loads{kBegin, kCellBytes, {}, {}};
  for (int c = 0; c < 200; ++c) {
    const std::uint64_t most = random() % 3 == 0 ? 0 : random() % 1000;
    loads.most.push_back(most);
    loads.all.push_back(static_cast<double>(most) *
                        (1 + static_cast<double>(random() % 100) / 100 * (n_ranks - 1)));
  }
  return loads;
}

TEST(RunRounds, MoveEachCellOnceFromEachRank) {
  std::mt19937 random(1);
  for (const int n_ranks : {1, 2, 7, 40}) {
    const RunLimits limits{n_ranks, (n_ranks + 1) / 2, 16, 4000, 3000};
    const CellLoads loads = random_loads(n_ranks, random);
    std::map<std::pair<Index, int>, int> moved;  // by cell and rank
    Index last_begin = 0;
    for (const RunRound& round : divide_rounds(loads, limits)) {
      EXPECT_LE(std::ssize(round.ranges), limits.n_aggregators);
      EXPECT_GE(round.ranges.front().begin, last_begin);
      last_begin = round.ranges.front().begin;
      std::uint64_t sent = 0;
      for (const FileRange& range : round.ranges) {
        EXPECT_LE(range.size(), limits.range_cells * kCellBytes);
        double received = 0;
        for (Index cell = (range.begin - kBegin) / kCellBytes; cell < (range.end - kBegin) / kCellBytes;
             ++cell) {
          const auto c = static_cast<std::size_t>(cell);
          sent += loads.most[c];
          received += loads.all[c];
          for (int rank = round.first_rank; rank < round.last_rank; ++rank) ++moved[{cell, rank}];
        }
        const int n = round.last_rank - round.first_rank;
        const double most = n < n_ranks ? static_cast<double>(sent) * n : received;
        EXPECT_LE(most, static_cast<double>(limits.receive_bytes));
      }
      EXPECT_LE(sent, limits.send_bytes);
    }
    for (Index cell = 0; cell < std::ssize(loads.most); ++cell) {
      for (int rank = 0; rank < n_ranks; ++rank) {
        const auto found = moved.find({cell, rank});
        const int times = found == moved.end() ? 0 : found->second;
        EXPECT_LE(times, 1);
        EXPECT_TRUE(times == 1 || loads.most[static_cast<std::size_t>(cell)] == 0) << cell << " of " << rank;
      }
    }
  }
}

TEST(RunRounds, KeepLowerRanksFirstWhereACellIsTooMuch) {
  const CellLoads loads{0, kCellBytes, {100, 100}, {200, 1000}};
  const auto rounds = divide_rounds(loads, {10, 2, 16, 1000, 300});
  ASSERT_EQ(rounds.size(), 5u);
  EXPECT_EQ(rounds[0].ranges[0].end, kCellBytes);
  for (int r = 1; r < 5; ++r) {
    const RunRound& round = rounds[static_cast<std::size_t>(r)];
    EXPECT_EQ(round.first_rank, 3 * (r - 1));
    EXPECT_EQ(round.last_rank, std::min(10, 3 * r));
  }
}

}  // namespace
}  // namespace esker
