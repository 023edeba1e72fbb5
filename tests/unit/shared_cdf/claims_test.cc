// Where boxes of ranks overlap, each sample is claimed once: by the highest rank, of it by the last box.
#include "transfer/claims.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "support/thread_comm.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::points_of;
using testing_support::Random;
using testing_support::run_ranks;

/// Rank, and position of the box.
using Holder = std::pair<int, int>;
using Holders = std::map<Point, Holder>;

/// Checks the claims of all ranks against their boxes.
void expect_claims(const Box& domain, const std::vector<std::vector<Box>>& of_rank) {
  Holders expected, found;
  for (std::size_t r = 0; r < of_rank.size(); ++r) {
    for (std::size_t b = 0; b < of_rank[r].size(); ++b) {
      for (const Point& point : points_of(of_rank[r][b]))
        expected[point] = {static_cast<int>(r), static_cast<int>(b)};
    }
  }
  std::mutex mutex;
  run_ranks(static_cast<int>(of_rank.size()), [&](const Communicator& comm) {
    const std::vector<BoxList> mine{{domain, of_rank[static_cast<std::size_t>(comm.rank())], true}};
    const Claims claims = share_claims(*comm.get(), mine).value();
    const std::scoped_lock lock(mutex);
    for (const Claim& claim : claims.mine[0]) {
      EXPECT_TRUE(mine[0].boxes[static_cast<std::size_t>(claim.source)].contains(claim.box));
      for (const Point& point : points_of(claim.box)) {
        EXPECT_TRUE(found.emplace(point, Holder{comm.rank(), claim.source}).second) << "claimed twice";
      }
    }
  });
  EXPECT_TRUE(found == expected);
}

TEST(ShareClaims, GivesEachSampleToTheHighestRankAndItsLastBox) {
  Random random(4);
  for (int n = 0; n < 200; ++n) {
    const int rank = 1 + n % 3;
    Point size{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) size[a] = random.in(1, 9);
    const Box domain = Box::from_extent(rank, size);
    std::vector<std::vector<Box>> of_rank(static_cast<std::size_t>(random.in(1, 4)));
    for (auto& boxes : of_rank) {
      for (Index b = random.in(0, 4); b > 0; --b) boxes.push_back(random.box_in(domain));
      if (random.in(0, 3) == 0) boxes.push_back(Box(rank, {}, {}));
    }
    expect_claims(domain, of_rank);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ShareClaims, ManyRanksMayBringTheSame) {
  const Box domain{{0, 0}, {20, 10}};
  expect_claims(domain, std::vector<std::vector<Box>>(7, {domain, domain}));
}

// One box beneath very many small ones: they cut it into as many parts.
TEST(ShareClaims, ALargeBoxBeneathManySmallOnes) {
  constexpr Index kSide = 240;
  const Box domain{{0, 0}, {kSide, kSide}};
  std::vector<std::vector<Box>> of_rank{{domain}, {}};
  for (Index y = 0; y < kSide; ++y) {
    for (Index x = y % 2; x < kSide; x += 2) of_rank[1].push_back(Box{{x, y}, {x + 1, y + 1}});
  }
  expect_claims(domain, of_rank);
}

}  // namespace
}  // namespace esker
