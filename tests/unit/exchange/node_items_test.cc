#include "exchange/node_items.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "support/thread_comm.h"
#include "unit/plan/plan_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: random exchanges

constexpr int kNumRanks = 11, kPerNode = 3;

std::vector<int> ranks_of_node(int node) {
  std::vector<int> ranks;
  for (int r = node * kPerNode; r < std::min(kNumRanks, (node + 1) * kPerNode); ++r) ranks.push_back(r);
  return ranks;
}

/// The plans of all ranks, combined by nodes of kPerNode ranks.
std::vector<Plan> combined_plans(const PlanCase& test, const Ownership& ownership, const Relays& relays,
                                 int min_senders) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < kNumRanks; ++rank) {
    plans.push_back(make_plan(test.space, ownership, test.fields, relays, rank));
  }
  run_ranks(
      kNumRanks,
      [&](const Communicator& comm) {
        Plan& plan = plans[static_cast<std::size_t>(comm.rank())];
        place_near(plan, comm.get()->node_ranks(), 2);
        combine_by_node(*comm.get(), plan, min_senders).check();
      },
      kPerNode);
  return plans;
}

/// The positions of messages: [(stage, source, target)] -> offset and bytes.
using Places = std::map<std::tuple<std::size_t, int, int>, std::pair<Index, Index>>;

void add_places(const std::vector<Message>& messages, std::size_t stage, int rank, bool is_sent,
                Places& places) {
  for (const Message& message : messages) {
    const int from = is_sent ? rank : message.peer, to = is_sent ? message.peer : rank;
    places[{stage, from, to}] = {message.offset_bytes, message.bytes};
  }
}

/// The messages of one node's leader: [(stage, other leader)].
std::map<std::pair<std::size_t, int>, NodeMessage> by_leader(const Plan& plan, bool sent) {
  std::map<std::pair<std::size_t, int>, NodeMessage> messages;
  for (std::size_t stage = 0; stage < plan.node.stages.size(); ++stage) {
    const NodeStage& of_stage = plan.node.stages[stage];
    for (const NodeMessage& message : sent ? of_stage.sends : of_stage.receives) {
      EXPECT_TRUE(messages.insert({{stage, message.leader}, message}).second) << "two for one node";
    }
  }
  return messages;
}

struct NodePlaces {
  Places sent, received;
};

NodePlaces places_of(const std::vector<Plan>& plans, int node) {
  NodePlaces places;
  for (const int rank : ranks_of_node(node)) {
    const Plan& plan = plans[static_cast<std::size_t>(rank)];
    for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
      const Round& round = plan.rounds[r];
      add_places(round.relay.sends, 2 * r, rank, true, places.sent);
      add_places(round.relay.receives, 2 * r, rank, false, places.received);
      add_places(round.sends, 2 * r + 1, rank, true, places.sent);
      add_places(round.receives, 2 * r + 1, rank, false, places.received);
    }
  }
  return places;
}

/// Messages of a stage do not overlap, except those within the node, which have the same position.
void expect_apart(const NodePlaces& places, const Plan& plan) {
  Places all = places.sent;
  for (const auto& [key, place] : places.received) {
    all.insert({key, place});
    EXPECT_EQ(all.at(key), place);
  }
  std::map<std::size_t, std::map<Index, Index>> by_offset;  // [stage][offset] -> end
  for (const auto& [key, place] : all) {
    EXPECT_TRUE(by_offset[std::get<0>(key)].insert({place.first, place.first + place.second}).second);
  }
  for (const auto& [stage, ends] : by_offset) {
    Index last = 0;
    for (const auto& [begin, end] : ends) {
      EXPECT_EQ(begin, last) << "a gap, or an overlap";
      last = end;
    }
    EXPECT_LE(last, plan.node.bytes);
  }
}

/// Both sides of a message between nodes have the same positions in it.
void expect_agreement(const std::vector<Plan>& plans, int from, int to) {
  const int from_leader = from * kPerNode, to_leader = to * kPerNode;
  const auto sent = by_leader(plans[static_cast<std::size_t>(from_leader)], true);
  const auto received = by_leader(plans[static_cast<std::size_t>(to_leader)], false);
  const NodePlaces here = places_of(plans, from), there = places_of(plans, to);
  std::map<std::size_t, Index> bytes;
  for (const auto& [key, place] : here.sent) {
    const auto [stage, source, target] = key;
    if (target / kPerNode != to) continue;
    const Index at = place.first - sent.at({stage, to_leader}).offset_bytes;
    const Index arrives_at = there.received.at(key).first - received.at({stage, from_leader}).offset_bytes;
    EXPECT_EQ(at, arrives_at);
    bytes[stage] += place.second;
  }
  for (const auto& [key, message] : sent) {
    if (key.second != to_leader) continue;
    EXPECT_EQ(message.bytes, bytes.at(key.first));
    EXPECT_EQ(message.bytes, received.at({key.first, from_leader}).bytes);
  }
}

TEST(NodeItems, BothNodesDeriveTheSamePlacesInTheirMessages) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const PlanCase test = random_case(random, kNumRanks);
    const Ownership ownership = random_ownership(test, 1 + static_cast<int>(seed % kNumRanks),
                                                 test.space.largest_piece_bytes() * 3, random);
    const Relays relays(test.space, ownership, test.fields, kNumRanks,
                        {Restructure(), seed % 2 == 0 ? 2 : 0});
    const std::vector<Plan> plans = combined_plans(test, ownership, relays, 0);
    const int n_nodes = (kNumRanks + kPerNode - 1) / kPerNode;
    for (int node = 0; node < n_nodes; ++node) {
      const Plan& of_leader = plans[static_cast<std::size_t>(node * kPerNode)];
      EXPECT_TRUE(of_leader.node.used);
      EXPECT_EQ(of_leader.receive_bytes, 0);
      expect_apart(places_of(plans, node), of_leader);
      for (int other = 0; other < n_nodes; ++other) {
        if (other != node) expect_agreement(plans, node, other);
      }
    }
  }
}

TEST(NodeItems, FewSendersAreNotCombined) {
  std::mt19937 random(5);  // each rank holds a part of the grid
  const PlanCase test = random_case(random, kNumRanks);
  const Ownership ownership(test.space, kNumRanks, 1, test.space.stored_bytes());
  const Relays relays(test.space, ownership, test.fields, kNumRanks, {Restructure(), 0});
  for (const int min_senders : {0, 1, kPerNode, kPerNode + 1}) {
    const std::vector<Plan> plans = combined_plans(test, ownership, relays, min_senders);
    for (const Plan& plan : plans) EXPECT_EQ(plan.node.used, min_senders <= kPerNode) << min_senders;
  }
}

}  // namespace
}  // namespace esker
