#include "comm/deliver.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "support/thread_comm.h"

namespace esker {
namespace {

// More senders than the initial capacity: rank 0 receives from all ranks, the others from none.
TEST(Deliver, ARankCanReceiveFromAllRanks) {
  constexpr int kRanks = 50;
  testing_support::run_ranks(kRanks, [](const Communicator& comm) {
    std::vector<int> mine(static_cast<std::size_t>(comm.rank()));
    std::iota(mine.begin(), mine.end(), comm.rank());
    const std::vector<OutgoingMessage> messages{{0, std::as_bytes(std::span(mine))}};
    const Deliveries received = deliver(*comm.get(), messages).value();
    ASSERT_EQ(received.deliveries.size(), comm.rank() == 0 ? std::size_t{kRanks} : 0u);
    for (std::size_t d = 0; d < received.deliveries.size(); ++d) {
      EXPECT_EQ(received.deliveries[d].rank, static_cast<int>(d));
      ASSERT_EQ(received.deliveries[d].bytes.size(), d * sizeof(int));
      if (d == 0) continue;
      int last = 0;
      std::memcpy(&last, received.deliveries[d].bytes.data() + (d - 1) * sizeof(int), sizeof(int));
      EXPECT_EQ(last, 2 * static_cast<int>(d) - 1);
    }
  });
}

TEST(Deliver, OneRankReceivesFromItself) {
  const std::array<int, 3> mine{1, 2, 3};
  const std::vector<OutgoingMessage> messages{{0, std::as_bytes(std::span(mine))}};
  const Deliveries received = deliver(*serial_comm(), messages).value();
  ASSERT_EQ(received.deliveries.size(), 1u);
  ASSERT_EQ(received.deliveries[0].bytes.size(), sizeof(mine));
  EXPECT_EQ(std::memcmp(received.deliveries[0].bytes.data(), mine.data(), sizeof(mine)), 0);
}

}  // namespace
}  // namespace esker
