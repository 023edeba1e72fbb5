#include "comm/comm.h"

#include <gtest/gtest.h>

#include <numeric>

#include "comm/agree.h"
#include "comm/deliver.h"
#include "comm/gather.h"
#include "support/mpi_fixture.h"

namespace esker {
namespace {

class CommTest : public testing_support::MpiTest {
 protected:
  Comm& comm() { return *comm_.get(); }
};

TEST_F(CommTest, GathersTextsOfDifferentLengths) {
  const std::string mine(static_cast<std::size_t>(comm().rank()), static_cast<char>('a' + comm().rank()));
  const Gathered all = gather(comm(), std::as_bytes(std::span(mine))).value();
  ASSERT_EQ(static_cast<int>(all.of_rank.size()), comm().size());
  for (int r = 0; r < comm().size(); ++r) {
    const std::vector<std::byte> of_rank(all.of_rank[r].begin(), all.of_rank[r].end());
    EXPECT_EQ(of_rank, std::vector<std::byte>(static_cast<std::size_t>(r), static_cast<std::byte>('a' + r)));
  }
}

TEST_F(CommTest, ReducesAndBroadcasts) {
  std::array<std::uint64_t, 2> most{static_cast<std::uint64_t>(comm().rank()), 5};
  comm().all_reduce_max(most);
  EXPECT_EQ(most[0], static_cast<std::uint64_t>(comm().size() - 1));
  std::array<double, 1> sum{1.0};
  comm().all_reduce_sum(sum);
  EXPECT_EQ(sum[0], comm().size());
  EXPECT_EQ(share_text(comm(), "of rank " + std::to_string(comm().rank()), comm().size() - 1).value(),
            "of rank " + std::to_string(comm().size() - 1));
}

TEST_F(CommTest, MessagesOfAllPairsArriveInOrder) {
  const int size = comm().size();
  std::vector<std::array<int, 2>> sent(static_cast<std::size_t>(size)),
      received(static_cast<std::size_t>(2 * size));
  for (int r = 0; r < size; ++r) {
    comm().start_receive(std::as_writable_bytes(std::span(received[2 * r])), r);
    comm().start_receive(std::as_writable_bytes(std::span(received[2 * r + 1])), r);
  }
  for (int r = 0; r < size; ++r) {
    sent[r] = {comm().rank(), r};
    comm().start_send(std::as_bytes(std::span(sent[r])), r);
    comm().start_send(std::as_bytes(std::span(sent[r])), r);
  }
  std::vector<int> seen(received.size());
  for (int m = comm().wait_any_receive(); m >= 0; m = comm().wait_any_receive()) ++seen[m];
  comm().finish();
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 2 * size);
  for (int r = 0; r < 2 * size; ++r) EXPECT_EQ(received[r], (std::array<int, 2>{r / 2, comm().rank()}));
}

// Rank r sends to r, r + 1, ... only, in each exchange to one rank more.
TEST_F(CommTest, RanksReceiveTheSizesOfTheirMessages) {
  const auto size = static_cast<std::size_t>(comm().size());
  std::vector<PeerSize> room(size);
  for (std::size_t partners = 0; partners <= size; ++partners) {
    std::vector<PeerSize> to;
    for (std::size_t i = 0; i < partners; ++i) {
      const int peer = static_cast<int>((static_cast<std::size_t>(comm().rank()) + i) % size);
      to.push_back({peer, 1000 * partners + static_cast<std::uint64_t>(comm().rank())});
    }
    comm().reserve_transfers(to.size(), 0);
    ASSERT_EQ(comm().exchange_sizes(to, room), partners);
    std::vector<int> heard(size);
    for (std::size_t i = 0; i < partners; ++i) {
      EXPECT_EQ(room[i].bytes, 1000 * partners + static_cast<std::uint64_t>(room[i].peer));
      ++heard[static_cast<std::size_t>(room[i].peer)];
    }
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(heard[(static_cast<std::size_t>(comm().rank()) + size - i) % size], i < partners ? 1 : 0);
    }
  }
}

TEST_F(CommTest, CountsSizesThatExceedTheCapacity) {
  std::vector<PeerSize> to;
  for (int r = 0; r < comm().size(); ++r) to.push_back({r, 7});
  comm().reserve_transfers(to.size(), 0);
  for (std::size_t room = 0; room <= to.size(); ++room) {
    std::vector<PeerSize> from(room, PeerSize{-1, 0});
    EXPECT_EQ(comm().exchange_sizes(to, from), to.size());
    for (const PeerSize& size : from) EXPECT_EQ(size.bytes, 7u);
  }
}

// Rank r sends r + 1 bytes to each lower rank and to itself; the last rank receives only from itself.
TEST_F(CommTest, ParcelsArriveByAscendingRank) {
  const std::vector<std::byte> mine(static_cast<std::size_t>(comm().rank()) + 1,
                                    static_cast<std::byte>(comm().rank()));
  std::vector<OutgoingMessage> messages;
  for (int r = 0; r <= comm().rank(); ++r) messages.push_back({r, mine});
  const Deliveries received = deliver(comm(), messages).value();
  ASSERT_EQ(received.deliveries.size(), static_cast<std::size_t>(comm().size() - comm().rank()));
  for (std::size_t d = 0; d < received.deliveries.size(); ++d) {
    const int from = comm().rank() + static_cast<int>(d);
    EXPECT_EQ(received.deliveries[d].rank, from);
    const std::vector<std::byte> bytes(received.deliveries[d].bytes.begin(),
                                       received.deliveries[d].bytes.end());
    EXPECT_EQ(bytes,
              std::vector<std::byte>(static_cast<std::size_t>(from) + 1, static_cast<std::byte>(from)));
  }
  EXPECT_TRUE(deliver(comm(), {}).value().deliveries.empty());
}

TEST_F(CommTest, AllToAllMovesPartsOfDifferentLengths) {
  const int size = comm().size(), rank = comm().rank();
  // r bytes to rank r from each, after two that stay; rank 0 receives nothing.
  std::vector<int> counts(static_cast<std::size_t>(size)), starts(counts), lengths(counts), places(counts);
  std::vector<std::byte> sent(static_cast<std::size_t>(size * size)), received(sent.size() + 1);
  for (int r = 0; r < size; ++r) {
    counts[r] = r;
    starts[r] = r * size;
    lengths[r] = rank;
    places[r] = 1 + r * size;
    for (int i = 0; i < r; ++i) sent[r * size + i] = static_cast<std::byte>(10 * rank + i + 1);
  }
  comm().all_to_all({sent.data(), counts, starts}, {received.data(), lengths, places});
  EXPECT_EQ(received[0], std::byte{});
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < size; ++i) {
      EXPECT_EQ(received[1 + r * size + i], static_cast<std::byte>(i < rank ? 10 * r + i + 1 : 0));
    }
  }
}

TEST_F(CommTest, RanksPutIntoEachOthersMemoryByPairsAndByFences) {
  const int size = comm().size(), rank = comm().rank();
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  const std::span<const int> to(&next, 1), from(&last, 1);
  for (const bool by_fences : {false, true}) {
    const auto remote = comm().make_remote_memory();
    for (std::size_t memory_elems : {4u, 9u}) {  // exposed again, larger
      std::vector<int> memory(memory_elems, -1);
      ASSERT_TRUE(remote->expose(std::as_writable_bytes(std::span(memory))));
      for (int turn = 0; turn < 50; ++turn) {
        const int value = 1000 * turn + rank;
        if (by_fences) {
          remote->fence();
        } else if (size > 1) {
          remote->post(from);
          remote->start(to);
        }
        if (size > 1) remote->put(std::as_bytes(std::span(&value, 1)), next, 2 * sizeof(int));
        if (by_fences) {
          remote->fence();
        } else if (size > 1) {
          remote->complete();
          remote->wait();
        }
        ASSERT_EQ(memory[2], size > 1 ? 1000 * turn + last : -1);
        ASSERT_EQ(memory[1], -1);
        ASSERT_EQ(memory[3], -1);
        memory[2] = -1;
      }
      remote->withdraw();
    }
  }
}

// Partners change in each iteration, and ranks run ahead of each other: a post counts only for its rank.
TEST_F(CommTest, ChangingPairsDoNotConfusePosts) {
  const int size = comm().size(), rank = comm().rank();
  if (size == 1) GTEST_SKIP() << "one rank has no partner to put to";
  const auto remote = comm().make_remote_memory();
  std::vector<int> memory(static_cast<std::size_t>(size), -1);
  ASSERT_TRUE(remote->expose(std::as_writable_bytes(std::span(memory))));
  for (int turn = 0; turn < 300; ++turn) {
    const int distance = 1 + turn % (size - 1);
    const int to = (rank + distance) % size, from = (rank + size - distance) % size;
    const bool puts = (rank + turn) % 3 != 0, is_put_to = (from + turn) % 3 != 0;
    const int value = 1000 * turn + rank;
    if (is_put_to) remote->post(std::span(&from, 1));
    if (puts) {
      remote->start(std::span(&to, 1));
      remote->put(std::as_bytes(std::span(&value, 1)), to, static_cast<std::size_t>(rank) * sizeof(int));
      remote->complete();
    }
    if (is_put_to) {
      remote->wait();
      ASSERT_EQ(memory[static_cast<std::size_t>(from)], 1000 * turn + from);
    }
  }
  remote->withdraw();
}

TEST_F(CommTest, GetsWhatAnotherRankWroteBeforeItsPost) {
  const int size = comm().size(), rank = comm().rank();
  if (size == 1) GTEST_SKIP() << "one rank has no partner to get from";
  const auto remote = comm().make_remote_memory();
  std::vector<int> memory(static_cast<std::size_t>(size), -1);
  ASSERT_TRUE(remote->expose(std::as_writable_bytes(std::span(memory))));
  for (int turn = 0; turn < 300; ++turn) {
    const int distance = 1 + turn % (size - 1);
    const int to = (rank + distance) % size, from = (rank + size - distance) % size;
    const bool gets = (rank + turn) % 3 != 0, is_got = (to + turn) % 3 != 0;
    memory[static_cast<std::size_t>(to)] = 1000 * turn + rank;
    if (is_got) remote->post(std::span(&to, 1));
    int value = -1;
    if (gets) {
      remote->start(std::span(&from, 1));
      remote->get(std::as_writable_bytes(std::span(&value, 1)), from,
                  static_cast<std::size_t>(rank) * sizeof(int));
      remote->complete();
      ASSERT_EQ(value, 1000 * turn + from);
    }
    if (is_got) remote->wait();
  }
  remote->withdraw();
}

// A plane of three rows of a volume, backwards, then one value before it.
TEST_F(CommTest, PutsTakeStridedBytesAtAnyAddress) {
  const int size = comm().size(), rank = comm().rank();
  if (size == 1) GTEST_SKIP() << "one rank has no partner to put to";
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  const std::span<const int> to(&next, 1), from(&last, 1);
  constexpr Index kInt = sizeof(int);
  SpreadBytes plane{4 * kInt, kInt};
  plane.add_axis(1, 77);
  plane.add_axis(2, 2 * kInt);
  plane.add_axis(3, -5 * kInt);
  const auto source = comm().make_put_source(std::array{plane, SpreadBytes{-11 * kInt, kInt}});
  const auto remote = comm().make_remote_memory();
  std::vector<int> memory(9, -1);
  ASSERT_TRUE(remote->expose(std::as_writable_bytes(std::span(memory))));
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<int> values(40 + turn);  // another address in each iteration
    std::iota(values.begin(), values.end(), 1000 * rank + 100 * turn);
    remote->post(from);
    remote->start(to);
    remote->put(*source, std::as_bytes(std::span(values)).data() + (11 + turn) * kInt, next, kInt);
    remote->complete();
    remote->wait();
    const int v = 1000 * last + 101 * turn;
    ASSERT_EQ(memory, (std::vector{-1, v + 15, v + 17, v + 10, v + 12, v + 5, v + 7, v, -1})) << turn;
  }
  remote->withdraw();
}

TEST_F(CommTest, AgreeReturnsTheFlagOfAnyRank) {
  for (const bool flag : {false, true}) {
    bool any_flag = !flag;
    agree(comm(), Ballot{Status(), "op", 1, "", flag && is_last_rank()}, &any_flag).check();
    EXPECT_EQ(any_flag, flag);
  }
}

TEST_F(CommTest, AgreeReturnsTheLargestNumbersOfAllRanks) {
  const auto rank = static_cast<std::uint64_t>(comm().rank()),
             last = static_cast<std::uint64_t>(comm().size() - 1);
  for (const char* operation : {"op", ""}) {
    std::array<std::uint64_t, 3> most{rank, ~rank, 7};
    agree(comm(), Ballot{.status = Status(), .operation = operation, .most = most}).check();
    EXPECT_EQ(most, (std::array<std::uint64_t, 3>{last, ~std::uint64_t{0}, 7}));
  }
  std::array<std::uint64_t, 1> most{};
  const auto set = [&] {
    most[0] = rank;
    return is_last_rank() ? Status(Code::kIoError, "disk") : Status();
  };
  expect_everywhere(all_do(comm(), "op", most, set), Code::kIoError);
}

TEST_F(CommTest, AgreeReturnsTheErrorOfTheLowestFailingRankOnAllRanks) {
  const int failing = comm().size() / 2;
  const Status mine = comm().rank() >= failing
                          ? Status(Code::kIoError, "disk of rank " + std::to_string(comm().rank()))
                          : Status();
  const Status agreed = agree(comm(), mine);
  expect_everywhere(agreed, Code::kIoError);
  const std::string who = comm().size() == 1 ? "" : "rank " + std::to_string(failing) + ": ";
  EXPECT_EQ(agreed.message(), who + "disk of rank " + std::to_string(failing));
}

TEST_F(CommTest, AgreeNamesDifferentCallsAndArguments) {
  if (comm().size() == 1) GTEST_SKIP() << "needs two ranks to differ";
  std::array<std::uint64_t, kMostAgreedNumbers> numbers{};
  const auto calls = agree(comm(), Ballot{.status = Status(),
                                          .operation = is_last_rank() ? "close" : "end_step",
                                          .most = std::span(numbers).first(is_last_rank() ? 1 : 8)});
  expect_everywhere(calls, Code::kMismatchedCall);
  EXPECT_NE(calls.message().find("close"), std::string::npos);
  EXPECT_NE(calls.message().find("end_step"), std::string::npos);
  const std::string text = is_last_rank() ? "time 2" : "time 1";
  const auto arguments = agree(comm(), Ballot{Status(), "end_step", hash_text(0, text), text, false});
  expect_everywhere(arguments, Code::kMismatchedCall);
  EXPECT_NE(arguments.message().find("time 2"), std::string::npos);
}

}  // namespace
}  // namespace esker
