#include "exchange/unite_runs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/thread_comm.h"

namespace esker {
namespace {

using testing_support::run_ranks;

/// Random runs of a rank; some ranks have none.
BlockRuns runs_of(int rank, unsigned seed) {
  std::mt19937 random(seed * 100 + static_cast<unsigned>(rank));
  BlockRuns runs;
  const unsigned n = random() % 3 == 0 ? 0 : random() % 60;
  for (unsigned r = 0; r < n; ++r) {
    const auto first = static_cast<Index>(random() % 5000);
    runs.push_back({first, first + 1 + static_cast<Index>(random() % 20)});
  }
  return normalized(std::move(runs));
}

// Also in many transfers: the largest one is 13 bytes here, which is less than a run.
TEST(UniteRuns, GivesAllRanksTheUnion) {
  ASSERT_EQ(::setenv("ESKER_TEST_MAX_PART", "13", 1), 0);  // before its first use
  for (const int n_ranks : {1, 2, 3, 4, 7, 9}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      BlockRuns expected;
      for (int rank = 0; rank < n_ranks; ++rank) expected = unite(expected, runs_of(rank, seed));
      run_ranks(n_ranks, [&](const Communicator& comm) {
        BlockRuns runs = runs_of(comm.rank(), seed);
        EXPECT_TRUE(unite_over_ranks(*comm.get(), runs).ok());
        EXPECT_EQ(runs, expected) << "rank " << comm.rank() << " of " << n_ranks;
      });
    }
  }
}

}  // namespace
}  // namespace esker
