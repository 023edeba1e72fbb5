#include "exchange/transports/in_partitions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <latch>
#include <memory>

#include "exchange/transports/make.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

constexpr int kPartitionRanks = 4;

/// Of this rank, in two partitions of two ranks.
std::shared_ptr<const RankGroup> group_of(Comm& comm) {
  const int first = comm.rank() / 2 * 2;
  return std::make_shared<const RankGroup>(RankGroup{comm.split(first, comm.rank()), {first, first + 1}});
}

/// Rank 0 sends a number to rank 1 and rank 2 to rank 3; across the border rank 1 sends one to rank 2 if
/// `crosses`. All in the second stage of one round.
Plan plan_of(int rank, bool crosses) {
  constexpr Index kBytes = sizeof(std::int64_t);
  Plan plan;
  Round& round = plan.rounds.emplace_back();
  const auto add = [&](std::vector<Message>& list, int peer, Index& buffer_bytes, std::size_t& count) {
    list.push_back({peer, buffer_bytes, kBytes, 0, {}});
    buffer_bytes += kBytes;
    ++count;
  };
  const auto is_planned = [&](int from, int to) { return to == from + 1 && (from != 1 || crosses); };
  for (int peer = 0; peer < kPartitionRanks; ++peer) {
    if (is_planned(rank, peer)) add(round.sends, peer, plan.send_bytes, plan.num_sends);
    if (is_planned(peer, rank)) add(round.receives, peer, plan.receive_bytes, plan.num_receives);
  }
  return plan;
}

std::int64_t number_of(int from, int to) { return 10 * from + to; }

class InPartitionsTest : public testing::TestWithParam<Primitive> {
 protected:
  /// The transport and the memory of one rank.
  struct Prepared {
    Plan plan;
    ExchangeBuffers buffers;
    std::unique_ptr<MessageTransport> transport;
  };

  static void prepare(Comm& comm, bool crosses, Prepared& prepared) {
    ExchangePolicy policy;
    policy.topology = Topology::kFlat;
    policy.primitive = GetParam();
    policy.synchronization = Synchronization::kFence;
    ASSERT_TRUE(waits_for_all(policy, kPartitionRanks));
    prepared.plan = plan_of(comm.rank(), crosses);
    prepared.transport = make_message_transport(policy, false, kPartitionRanks, group_of(comm));
    comm.reserve_transfers(prepared.plan.num_sends, prepared.plan.num_receives);
    const Status reserved = prepared.transport->is_one_sided()
                                ? prepared.buffers.reserve_exposed(comm, prepared.plan)
                                : prepared.buffers.reserve(comm, prepared.plan);
    ASSERT_TRUE(reserved.ok()) << reserved.message();
    const Status status = prepared.transport->prepare(comm, prepared.plan);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  /// Both stages of the round. Checks the numbers that arrive.
  static void run(Prepared& prepared, int rank) {
    MessageTransport& transport = *prepared.transport;
    const Round& round = prepared.plan.rounds[0];
    transport.begin_run(prepared.buffers.parts(prepared.plan));
    transport.begin({0, &round.relay.sends, &round.relay.receives});
    transport.end_sends();
    EXPECT_EQ(transport.next_received(), -1);
    transport.finish();
    transport.begin({1, &round.sends, &round.receives});
    for (const Message& message : round.sends) {
      const std::int64_t number = number_of(rank, message.peer);
      std::memcpy(transport.target(message).data(), &number, sizeof number);
      transport.send(message);
    }
    transport.end_sends();
    std::size_t arrived = 0;
    for (int m = transport.next_received(); m >= 0; m = transport.next_received()) {
      const Message& message = round.receives[static_cast<std::size_t>(m)];
      std::int64_t number = 0;
      std::memcpy(&number, transport.received(message), sizeof number);
      EXPECT_EQ(number, number_of(message.peer, rank));
      ++arrived;
    }
    EXPECT_EQ(arrived, round.receives.size());
    transport.finish();
  }
};

TEST_P(InPartitionsTest, MessagesArriveInsideAndAcrossPartitions) {
  testing_support::run_ranks(kPartitionRanks, [](const Communicator& comm) {
    Prepared prepared;
    prepare(*comm.get(), true, prepared);
    for (int step = 0; step < 3; ++step) run(prepared, comm.rank());
    prepared.buffers.release();
  });
}

// Ranks 0 and 1 begin when the others have finished. If these waited for all ranks, the test would not end.
TEST_P(InPartitionsTest, APartitionDoesNotWaitForAnother) {
  std::latch finished(2);
  testing_support::run_ranks(kPartitionRanks, [&](const Communicator& comm) {
    Prepared prepared;
    prepare(*comm.get(), false, prepared);
    if (comm.rank() < 2) finished.wait();
    run(prepared, comm.rank());
    if (comm.rank() >= 2) finished.count_down();
    prepared.buffers.release();
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, InPartitionsTest, testing::Values(Primitive::kSend, Primitive::kPut),
                         [](const auto& test) {
                           return test.param == Primitive::kSend ? "AllToAll" : "PutFence";
                         });

}  // namespace
}  // namespace esker
