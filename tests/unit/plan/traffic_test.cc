// The counted traffic of all ranks equals that of their plans.
#include "plan/traffic.h"

#include <gtest/gtest.h>

#include "unit/plan/plan_case.h"
#include "unit/plan/relay_settings.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cases

struct Totals {
  std::vector<RankTraffic> ranks;
  MessageSizes to_relays{}, to_aggregators{};
};

void add_sends(const std::vector<Message>& sends, RankTraffic& rank, MessageSizes& sizes) {
  for (const Message& message : sends) {
    ++rank.messages;
    rank.sent_bytes += message.bytes;
    count_message(sizes, message.bytes);
  }
}

Totals sum_of_plans(const PlanCase& test, const Ownership& ownership, const Relays& relays) {
  Totals totals;
  for (int r = 0; r < test.n_ranks; ++r) {
    const Plan plan = make_plan(test.space, ownership, test.fields, relays, r);
    RankTraffic& rank = totals.ranks.emplace_back();
    rank.send_bytes = plan.send_bytes;
    rank.receive_bytes = plan.receive_bytes;
    rank.buffer_bytes = plan.buffer_bytes;
    rank.compressed_bytes = plan.compressed_bytes;
    for (const Round& round : plan.rounds) {
      add_sends(round.relay.sends, rank, totals.to_relays);
      add_sends(round.sends, rank, totals.to_aggregators);
      const std::size_t senders = std::max(round.receives.size(), round.relay.receives.size());
      rank.senders = std::max(rank.senders, static_cast<Index>(senders));
      rank.written_bytes += round.content.size_bytes();
    }
  }
  return totals;
}

void add_load(const std::vector<Message>& sends, int rank, int ranks_per_node, StageLoad NodeLoad::*stage,
              std::vector<NodeLoad>& nodes) {
  for (const Message& message : sends) {
    StageLoad& from = nodes[static_cast<std::size_t>(rank / ranks_per_node)].*stage;
    StageLoad& to = nodes[static_cast<std::size_t>(message.peer / ranks_per_node)].*stage;
    if (&from == &to) {
      from.bytes_inside += message.bytes;
      continue;
    }
    ++from.messages_out;
    from.bytes_out += message.bytes;
    ++to.messages_in;
    to.bytes_in += message.bytes;
  }
}

Index compared_in(const std::vector<Message>& receives, int rank, int ranks_per_node) {
  const auto crosses = [&](const Message& message) {
    return message.peer / ranks_per_node != rank / ranks_per_node;
  };
  const Index n = std::ranges::count_if(receives, crosses);
  return n * n / 4;
}

std::vector<NodeLoad> loads_of_plans(const PlanCase& test, const Ownership& ownership, const Relays& relays,
                                     int ranks_per_node) {
  std::vector<NodeLoad> nodes(static_cast<std::size_t>((test.n_ranks - 1) / ranks_per_node + 1));
  for (int r = 0; r < test.n_ranks; ++r) {
    Index by_relay = 0, by_aggregator = 0;
    for (const Round& round : make_plan(test.space, ownership, test.fields, relays, r).rounds) {
      add_load(round.relay.sends, r, ranks_per_node, &NodeLoad::to_relays, nodes);
      add_load(round.sends, r, ranks_per_node, &NodeLoad::to_aggregators, nodes);
      by_relay += compared_in(round.relay.receives, r, ranks_per_node);
      by_aggregator += compared_in(round.receives, r, ranks_per_node);
    }
    NodeLoad& node = nodes[static_cast<std::size_t>(r / ranks_per_node)];
    node.to_relays.compared = std::max(node.to_relays.compared, by_relay);
    node.to_aggregators.compared = std::max(node.to_aggregators.compared, by_aggregator);
  }
  return nodes;
}

void expect_stage(const StageLoad& counted, const StageLoad& planned) {
  EXPECT_EQ(counted.messages_out, planned.messages_out);
  EXPECT_EQ(counted.messages_in, planned.messages_in);
  EXPECT_EQ(counted.bytes_out, planned.bytes_out);
  EXPECT_EQ(counted.bytes_in, planned.bytes_in);
  EXPECT_EQ(counted.bytes_inside, planned.bytes_inside);
  EXPECT_EQ(counted.compared, planned.compared);
}

/// The extents of a rank add up to the bytes that it writes.
void expect_loads(const PlanLoads& counted, const std::vector<NodeLoad>& planned,
                  const TrafficCounter& traffic) {
  ASSERT_EQ(counted.nodes.size(), planned.size());
  for (std::size_t n = 0; n < planned.size(); ++n) {
    expect_stage(counted.nodes[n].to_relays, planned[n].to_relays);
    expect_stage(counted.nodes[n].to_aggregators, planned[n].to_aggregators);
  }
  std::vector<Index> written(traffic.ranks().size());
  for (const WrittenExtent& extent : counted.extents) {
    EXPECT_GT(extent.size_bytes, 0);
    written[static_cast<std::size_t>(extent.rank)] += extent.size_bytes;
  }
  for (std::size_t r = 0; r < written.size(); ++r) EXPECT_EQ(written[r], traffic.ranks()[r].written_bytes);
}

class CountedTraffic : public testing::TestWithParam<std::tuple<RelaySetting, int>> {};

TEST_P(CountedTraffic, EqualsThatOfThePlans) {
  const auto& [setting, seed] = GetParam();
  std::mt19937 random(static_cast<unsigned>(seed));
  const int n_ranks = 1 + static_cast<int>(random() % 40);
  PlanCase test = random_case(random, n_ranks);
  for (std::size_t f = 0; seed % 2 == 1 && f < test.fields.size(); ++f) {
    const Box& domain = test.domains[f];
    test.fields[f].holders = std::make_shared<const BrickDistribution>(
        BrickDecomposition::near_cubic(domain.rank, domain.hi, n_ranks).value());
  }
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(n_ranks));
  const auto buffer_bytes = 1 + static_cast<Index>(random() % 20000);
  const Ownership ownership = has_blocks(test) ? random_partitions(test, aggregators, buffer_bytes, random)
                                               : Ownership(test.space, n_ranks, aggregators, buffer_bytes);
  const Relays relays(test.space, ownership, test.fields, n_ranks, setting.rules());
  const int ranks_per_node = 1 + seed % 4;
  LoadCounter loads(test.space, n_ranks, ranks_per_node);
  TrafficCounter counted(
      test.space, ownership, test.fields, relays, [] {}, &loads);
  for (Index round = 0; round < ownership.num_rounds(); ++round) counted.add_round(round);
  const Totals planned = sum_of_plans(test, ownership, relays);
  for (int r = 0; r < n_ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    EXPECT_EQ(counted.ranks()[at].messages, planned.ranks[at].messages) << "rank " << r;
    EXPECT_EQ(counted.ranks()[at].sent_bytes, planned.ranks[at].sent_bytes) << "rank " << r;
    ASSERT_EQ(counted.ranks()[at], planned.ranks[at]) << "rank " << r;
  }
  EXPECT_EQ(counted.to_relays(), planned.to_relays);
  EXPECT_EQ(counted.to_aggregators(), planned.to_aggregators);
  expect_loads(loads.take(), loads_of_plans(test, ownership, relays, ranks_per_node), counted);
}

INSTANTIATE_TEST_SUITE_P(Random, CountedTraffic,
                         testing::Combine(testing::ValuesIn(kRelaySettings), testing::Range(0, 60)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "Case" +
                                  std::to_string(std::get<1>(test.param));
                         });

// A list of boxes gives the same result as the split with these boxes.
TEST(Distribution, ListsAndSplitsAgree) {
  std::mt19937 random(1);
  for (int n_ranks = 1; n_ranks < 80; ++n_ranks) {
    const Box domain{{0, 0, 0}, {23, 17, 9}};
    const BrickDistribution split(BrickDecomposition::near_cubic(3, domain.hi, n_ranks).value());
    BoxesOfRanks boxes;
    for (int r = 0; r < n_ranks; ++r) boxes.push_back(split.boxes_of(r));
    const BoxListDistribution list(domain, boxes);
    EXPECT_EQ(list.typical_extent(), split.typical_extent());
    const auto some = [&](Index most) { return static_cast<Index>(random() % static_cast<unsigned>(most)); };
    Box region = Box{{some(23), some(17), some(9)}, {0, 0, 0}};
    for (int a = 0; a < 3; ++a) region.hi[a] = region.lo[a] + some(12);
    const Lattice samples{3, {some(5), some(5), some(5), 0, 0}, {3, 1, 2, 1, 1}, {6, 9, 3, 1, 1}};
    using Met = std::vector<std::tuple<int, int, std::string>>;
    using Shares = std::map<int, Index>;
    const auto ask = [&](const Distribution& holders) {
      std::pair<Met, Shares> answer;
      holders.for_each_meeting(region, [&](int rank, int patch, const Box& box) {
        answer.first.emplace_back(rank, patch, box.to_string());
      });
      std::vector<Share> held;
      holders.add_shares(samples, region, held);
      for (const Share& share : held) answer.second[share.rank] += share.n_samples;
      return answer;
    };
    const auto [met, shares] = ask(split);
    EXPECT_EQ(ask(list), std::pair(met, shares));
    EXPECT_TRUE(std::is_sorted(met.begin(), met.end()));
    Index sum = 0;
    for (const auto& [rank, count] : shares) sum += count;
    EXPECT_EQ(sum, samples.indices_in(intersect(region, domain)).num_samples());
  }
}

// A writer lists the boxes of its ranks, a plan gets the split: their relays must have the same boxes. On 8
// and 50 parts the boxes do not have the same size.
TEST(Distribution, CoarseCutsFollowTheBoxesOfRanks) {
  for (const Point& parts : {Point{8, 4, 4}, Point{50, 2, 3}, Point{1, 7, 16}}) {
    const Box domain{{0, 0, 0}, {parts[0] * 16, parts[1] * 5, parts[2] * 3}};
    const BrickDistribution split(BrickDecomposition::even(3, domain.hi, parts).value());
    BoxesOfRanks boxes;
    for (int r = 0; r < static_cast<int>(split.parts().num_parts()); ++r) boxes.push_back(split.boxes_of(r));
    const BrickDecomposition cut = BoxListDistribution(domain, boxes).coarse_cut();
    for (int a = 0; a < 3; ++a) EXPECT_EQ(cut.cuts(a), split.coarse_cut().cuts(a)) << domain.to_string();
    for (const std::vector<Box>& of_rank : boxes) {
      EXPECT_EQ(cut.parts_meeting(of_rank.front()).num_samples(), 1) << of_rank.front().to_string();
    }
  }
}

// Writers and plans cut an uneven domain at the same places, which need not be those of the ranks.
TEST(Distribution, CoarseCutsOfUnevenBoxesAreEqual) {
  for (const Point& extents : {Point{127, 67, 23}, Point{129, 66, 25}}) {
    const Box domain{{0, 0, 0}, {extents[0], extents[1], extents[2]}};
    const BrickDistribution split(BrickDecomposition::even(3, domain.hi, {8, 4, 4}).value());
    BoxesOfRanks boxes;
    for (int r = 0; r < static_cast<int>(split.parts().num_parts()); ++r) boxes.push_back(split.boxes_of(r));
    const BrickDecomposition cut = BoxListDistribution(domain, boxes).coarse_cut();
    for (int a = 0; a < 3; ++a) EXPECT_EQ(cut.cuts(a), split.coarse_cut().cuts(a)) << domain.to_string();
  }
}

}  // namespace
}  // namespace esker
