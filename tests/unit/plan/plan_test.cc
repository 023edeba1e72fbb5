#include "plan/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "exchange/piece_records.h"
#include "plan_case.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using testing_support::PlanCase;
using testing_support::random_case;
using testing_support::random_ownership;
using testing_support::shared;

using Key = std::tuple<Index, int, int, Index, Index>;  // position, field, patch, first sample, samples

std::vector<Key> keys(const Message& message) {
  std::vector<Key> keys;
  for (const Segment& s : message.segments) {
    keys.emplace_back(s.position, s.field, s.patch, s.indices.lo[0], s.indices.num_samples());
  }
  return keys;
}

class PlanProperties : public testing::TestWithParam<int> {};

TEST_P(PlanProperties, SendersAndReceiversAgreeAndEverySampleGoesOnce) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const PlanCase test = random_case(random, 1 + static_cast<int>(random() % 9));
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(test.n_ranks));
  const Index buffer = 1 + static_cast<Index>(random() % 20000);
  const Ownership ownership = random_ownership(test, aggregators, buffer, random);
  std::vector<Plan> plans;
  const Relays none(test.space, ownership, test.fields, test.n_ranks, {});
  for (int r = 0; r < test.n_ranks; ++r) {
    plans.push_back(make_plan(test.space, ownership, test.fields, none, r));
  }

  std::vector<Index> samples(test.fields.size());
  Index stored_to = 0;
  std::map<Index, Index> buffers;
  for (Index round = 0; round < ownership.num_rounds(); ++round) {
    for (int from = 0; from < test.n_ranks; ++from) {
      const Round& sending = plans[from].rounds[round];
      for (const Segment& s : sending.local.segments) samples[s.field] += s.indices.num_samples();
      for (const Message& message : sending.sends) {
        for (const Segment& s : message.segments) samples[s.field] += s.indices.num_samples();
        const auto& inbox = plans[message.peer].rounds[round].receives;
        const auto match =
            std::find_if(inbox.begin(), inbox.end(), [&](const Message& m) { return m.peer == from; });
        ASSERT_NE(match, inbox.end());
        ASSERT_EQ(match->bytes, message.bytes);
        ASSERT_EQ(keys(*match), keys(message));
      }
      std::size_t expected = 0;
      for (int to = 0; to < test.n_ranks; ++to) {
        for (const Message& m : plans[to].rounds[round].sends) expected += m.peer == from;
      }
      ASSERT_EQ(sending.receives.size(), expected);
      if (sending.content.size_bytes() > 0) buffers[sending.content.begin] = sending.content.end;
    }
  }
  for (std::size_t f = 0; f < samples.size(); ++f) ASSERT_EQ(samples[f], test.stored[f].num_samples());
  for (const auto& [begin, end] : buffers) {
    ASSERT_EQ(begin, stored_to);
    stored_to = end;
  }
  ASSERT_EQ(stored_to, test.space.stored_bytes());
}

// The owner of a file receives the records of all its pieces; other ranks do not.
TEST_P(PlanProperties, OwnersOfFilesGetTheRecordsOfAllTheirPieces) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const PlanCase test = random_case(random, 1 + static_cast<int>(random() % 9));
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(test.n_ranks));
  const Ownership original =
      random_ownership(test, aggregators, 1 + static_cast<Index>(random() % 20000), random);
  std::vector<int> knows_all(static_cast<std::size_t>(test.space.num_pieces()));
  testing_support::run_ranks(test.n_ranks, [&](const Communicator& comm) {
    const Ownership ownership = original;
    const Relays none(test.space, ownership, test.fields, test.n_ranks, {});
    const Plan plan = make_plan(test.space, ownership, test.fields, none, comm.rank());
    PieceRecords records(plan);
    for (const Round& round : plan.rounds) {
      for (Index p = round.content.first_piece; p < round.content.last_piece; ++p) {
        records.at(p).checksum = static_cast<std::uint64_t>(1000 + p);
      }
    }
    records.hand_over(*comm.get(), plan);
    const int aggregator = ownership.aggregator_of_rank(comm.rank());
    if (aggregator < 0) return;
    for (const Ownership::Pieces& run : ownership.runs(aggregator)) {
      for (Index first = run.first; first < run.last;) {
        const Index position = test.space.position_bytes(first);
        const int number = test.space.layout_at(position);
        const Index base = test.space.first_position(number);
        const auto file = test.space.layout(number).file_at(position - base);
        const Index last = test.space.first_piece_from(base + file.end);
        for (Index p = first; p < last && base + file.begin == position; ++p) {
          EXPECT_EQ(records.of(first, last)[static_cast<std::size_t>(p - first)].checksum,
                    static_cast<std::uint64_t>(1000 + p));
          ++knows_all[static_cast<std::size_t>(p)];
        }
        first = last;
      }
    }
  });
  for (const int owners : knows_all) ASSERT_EQ(owners, 1);
}

// By all rules, each piece has one aggregator and one round, and both directions of the map agree.
TEST_P(PlanProperties, EveryPieceHasOneOwnerAndOneRound) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const PlanCase test = random_case(random, 1 + static_cast<int>(random() % 9));
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(test.n_ranks));
  const Ownership ownership =
      random_ownership(test, aggregators, 1 + static_cast<Index>(random() % 20000), random);
  std::vector<int> owned(static_cast<std::size_t>(test.space.num_pieces()));
  for (int a = 0; a < ownership.num_aggregators(); ++a) {
    EXPECT_EQ(ownership.aggregator_of_rank(ownership.rank_of(a)), a);
    Index in_runs = 0, in_rounds = 0;
    for (const auto& run : ownership.runs(a)) in_runs += run.last - run.first;
    for (Index round = 0; round < ownership.num_rounds(); ++round) {
      const Ownership::Pieces pieces = ownership.pieces(a, round);
      in_rounds += pieces.last - pieces.first;
      for (Index p = pieces.first; p < pieces.last; ++p) {
        const Ownership::PieceAt at{p, test.space.position_bytes(p)};
        ++owned[static_cast<std::size_t>(p)];
        ASSERT_EQ(ownership.owner_of(at), a);
        ASSERT_EQ(ownership.round_of(a, at), round);
        const Ownership::Range owners = ownership.owners_of({p, p + 1});
        ASSERT_TRUE(owners.first <= a && a < owners.last);
      }
    }
    ASSERT_EQ(in_runs, in_rounds);
  }
  for (const int owners : owned) ASSERT_EQ(owners, 1);
}

/// The share of samples that move to other ranks, for four ranks with a quarter of a float64 field each.
double moved_by_local_rule(const Point& extent, int bits_per_block) {
  const Box box = Box::from_extent(3, extent);
  const Bitmask mask = Bitmask::longest_first(3, box.hi).value();
  const idx::IdxLayout layout(BlockGrid(mask, bits_per_block, box), {{8, true}, {8, true}},
                              {16, 4096, 4096, InBlockOrder::kRowMajor});
  PieceSpace space;
  space.add(layout);
  const auto holders =
      std::make_shared<const BrickDistribution>(BrickDecomposition::even(3, extent, {2, 2, 1}).value());
  const std::vector<FieldPatches> fields{{0, 0, holders}, {0, 1, holders}};
  const Placement placement{{0, 1, 2, 3}, {bricks_like(box, holders->typical_extent(), 4)}};
  const Ownership ownership(space, 4, placement, 1 << 16);
  Index bytes = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const Relays none(space, ownership, fields, 4, {});
    for (const Round& round : make_plan(space, ownership, fields, none, rank).rounds) {
      for (const Message& message : round.sends) bytes += message.bytes;
    }
  }
  return static_cast<double>(bytes) / static_cast<double>(2 * 8 * box.num_samples());
}

// One rank stores neighbouring samples: if blocks fit in the patches, nearly all samples stay, otherwise
// those in the interior of patches stay.
TEST(Plan, TheLocalRuleKeepsSamplesWhereTheyAre) {
  EXPECT_LT(moved_by_local_rule({64, 64, 64}, 9), 0.01);
  EXPECT_LT(moved_by_local_rule({150, 150, 75}, 9), 0.06);  // stretches of the Z curve: a half
}

INSTANTIATE_TEST_SUITE_P(Random, PlanProperties, testing::Range(0, 150));

TEST(Plan, AlignedPatchesNeedNoMessages) {
  // Four ranks, each with the blocks of one file of a 1-D grid: no sample moves.
  const Box box{{0, 0}, {64, 64}};
  const Bitmask mask = Bitmask::for_extent(2, box.hi).value();
  const idx::IdxLayout layout(BlockGrid(mask, mask.max_level(), box), {{4, true}},
                              {1, 64, 80, InBlockOrder::kRowMajor});
  PieceSpace space;
  space.add(layout);
  const Ownership ownership(space, 1, 1, 1 << 20);
  const std::vector<FieldPatches> fields{{0, 0, shared(box, {{box}})}};
  const Plan plan = make_plan(space, ownership, fields, Relays(space, ownership, fields, 1, {}), 0);
  ASSERT_EQ(plan.rounds.size(), 1u);
  EXPECT_TRUE(plan.rounds[0].sends.empty());
  EXPECT_EQ(plan.send_bytes + plan.receive_bytes, 0);
  EXPECT_EQ(plan.rounds[0].local.bytes, 64 * 64 * 4);
  EXPECT_TRUE(plan.rounds[0].content.complete());
}

TEST(Plan, AggregatorsAreSpreadAndOwnNearlyEqualBytes) {
  const Box box{{0, 0, 0}, {64, 64, 64}};
  const Bitmask mask = Bitmask::for_extent(3, box.hi).value();
  const idx::IdxLayout layout(BlockGrid(mask, 9, box), {{8, true}},
                              {16, 4096, 4096, InBlockOrder::kRowMajor});
  PieceSpace space;
  space.add(layout);
  const Ownership ownership(space, 16, 4, 1 << 24);
  std::vector<int> ranks;
  for (int a = 0; a < 4; ++a) {
    ranks.push_back(ownership.rank_of(a));
    const auto pieces = ownership.pieces(a, 0);
    EXPECT_EQ(space.position_bytes(pieces.last) - space.position_bytes(pieces.first),
              space.stored_bytes() / 4);
    EXPECT_EQ(ownership.aggregator_of_rank(ownership.rank_of(a)), a);
  }
  EXPECT_EQ(ranks, (std::vector<int>{0, 4, 8, 12}));
  EXPECT_EQ(ownership.aggregator_of_rank(5), -1);
}

}  // namespace
}  // namespace esker
