// The choice of aggregators.
#include "exchange/placement.h"

#include <gtest/gtest.h>

#include <mutex>

#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: run_ranks

std::vector<int> spread(const std::vector<int>& nodes, int n_aggregators) {
  std::mutex mutex;
  std::vector<std::vector<int>> answers;
  run_ranks(nodes, [&](const Communicator& comm) {
    const std::vector<int> ranks = spread_over_nodes(*comm.get(), n_aggregators).value();
    const std::scoped_lock lock(mutex);
    answers.push_back(ranks);
  });
  for (const auto& answer : answers) EXPECT_EQ(answer, answers.front());
  return answers.front();
}

TEST(Placement, SpreadsAggregatorsOverNodesForAnyNumberingOfRanks) {
  EXPECT_EQ(spread({0, 0, 0, 1, 1, 1}, 2), (std::vector<int>{0, 3}));
  EXPECT_EQ(spread({0, 1, 0, 1, 0, 1}, 2), (std::vector<int>{0, 1}));  // every third rank: both of node 0
  EXPECT_EQ(spread({0, 1, 0, 1, 0, 1, 0, 1}, 4), (std::vector<int>{0, 4, 1, 5}));
  EXPECT_EQ(spread({0, 1, 1, 1, 1, 1}, 3), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(spread({0, 1, 2}, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(spread({0}, 1), (std::vector<int>{0}));
}

TEST(Placement, ARankAggregatesOnce) {
  std::vector<int> ranks{2, 2, -1, 0};
  make_different(ranks, 5);
  EXPECT_EQ(ranks, (std::vector<int>{2, 3, 1, 0}));
}

}  // namespace
}  // namespace esker
