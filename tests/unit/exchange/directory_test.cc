// The directory gives ranks all that their plans need, and little more.
#include "exchange/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plan/plan.h"
#include "support/thread_comm.h"
#include "unit/plan/plan_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cases and tilings

void add(std::vector<Index>& numbers, const Box& box) {
  numbers.insert(numbers.end(), box.lo.begin(), box.lo.end());
  numbers.insert(numbers.end(), box.hi.begin(), box.hi.end());
}

void add(std::vector<Index>& numbers, const Message& message) {
  numbers.insert(numbers.end(), {message.peer, message.offset_bytes, message.bytes, message.buffer_begin,
                                 static_cast<Index>(message.segments.size())});
  for (const Segment& s : message.segments) {
    numbers.insert(numbers.end(), {s.position, s.field, s.patch, s.relayed, s.sample_bytes});
    add(numbers, s.indices);
    add(numbers, s.samples.bounds());
    for (const std::uint64_t bits : s.order.axes) numbers.push_back(static_cast<Index>(bits));
  }
}

void add(std::vector<Index>& numbers, const std::vector<Message>& messages) {
  numbers.push_back(static_cast<Index>(messages.size()));
  for (const Message& message : messages) add(numbers, message);
}

void add(std::vector<Index>& numbers, const Round& round) {
  for (const auto* messages : {&round.relay.sends, &round.relay.receives, &round.sends, &round.receives}) {
    add(numbers, *messages);
  }
  add(numbers, round.relay.local);
  add(numbers, round.local);
  for (const Relayed& relayed : round.relay.relayed) {
    numbers.push_back(relayed.offset_bytes);
    add(numbers, relayed.indices);
  }
  const BufferContent& content = round.content;
  numbers.insert(numbers.end(), {content.begin, content.end, content.first_piece, content.last_piece});
  for (const PaddedPiece& piece : content.padded) {
    numbers.insert(numbers.end(), {piece.offset_bytes, piece.bytes, Index{piece.field}});
  }
}

/// The content of a plan, for comparisons.
std::vector<Index> numbers_of(const Plan& plan) {
  std::vector<Index> numbers{plan.send_bytes,
                             plan.receive_bytes,
                             plan.buffer_bytes,
                             static_cast<Index>(plan.rounds.size()),
                             static_cast<Index>(plan.num_sends),
                             static_cast<Index>(plan.num_receives)};
  for (const auto& run : plan.owned) numbers.insert(numbers.end(), {run.first, run.last});
  for (const auto* hand_overs : {&plan.gives, &plan.takes}) {
    for (const HandOver& h : *hand_overs) {
      numbers.push_back(h.peer);
      for (const auto& run : h.pieces) numbers.insert(numbers.end(), {run.first, run.last});
    }
  }
  for (const Round& round : plan.rounds) add(numbers, round);
  return numbers;
}

/// The boxes that a rank puts of each field of a case.
std::vector<BoxList> lists_of(const PlanCase& test, int rank) {
  std::vector<BoxList> lists;
  for (const FieldPatches& field : test.fields) {
    lists.push_back({field.holders->domain(), field.holders->boxes_of(rank)});
  }
  return lists;
}

struct Setting {
  const char* name;
  const char* restructure;
  int max_fan_in;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class LearntPlans : public testing::TestWithParam<std::tuple<Setting, int, int>> {};

TEST_P(LearntPlans, EqualThoseOfARankThatKnowsAllBoxes) {
  const auto& [setting, n_ranks, seed] = GetParam();
  std::mt19937 random(static_cast<unsigned>(1000 * seed + n_ranks));
  const PlanCase test = random_case(random, n_ranks);
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(n_ranks));
  const Index buffer = 1 + static_cast<Index>(random() % 20000);
  const RelayRules rules{Restructure::parse(setting.restructure).value(), setting.max_fan_in};
  run_ranks(n_ranks, [&, n = n_ranks](const Communicator& comm) {
    Directory directory = Directory::publish(*comm.get(), lists_of(test, comm.rank())).value();
    EXPECT_FALSE(directory.defect());
    std::vector<FieldPatches> fields = test.fields;
    for (std::size_t f = 0; f < fields.size(); ++f) fields[f].holders = directory.lists()[f];
    // A smaller buffer changes the routes of levels, so that a rank must learn more.
    for (const Index bytes : {buffer, buffer / 8 + 1}) {
      const Ownership ownership(test.space, n, aggregators, bytes);
      const Relays all_known(test.space, ownership, test.fields, n, rules);
      const Relays relays(test.space, ownership, fields, n, rules);
      directory
          .learn([&](const VisitRegion& visit) {
            for_each_region_to_know(test.space, ownership, fields, relays, comm.rank(), visit);
          })
          .check();
      const Plan expected = make_plan(test.space, ownership, test.fields, all_known, comm.rank());
      const Plan plan = make_plan(test.space, ownership, fields, relays, comm.rank());
      EXPECT_EQ(numbers_of(plan), numbers_of(expected));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Random, LearntPlans,
    testing::Combine(testing::Values(Setting{"Off", "off", 0}, Setting{"Coarse", "off", 1},
                                     Setting{"SomeCoarse", "off", 6}, Setting{"Default", "default", 0},
                                     Setting{"DefaultCoarse", "default", 5},
                                     Setting{"Expanded", "expanded", 0}, Setting{"Given", "4,8,2", 0}),
                     testing::Values(1, 2, 3, 7, 33), testing::Range(0, 4)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "On" + std::to_string(std::get<1>(test.param)) +
             "Case" + std::to_string(std::get<2>(test.param));
    });

TEST(Directory, ABoxThatWasNotRequestedIsAnError) {
  const Box domain{{0, 0}, {8, 8}};
  const KnownBoxes known(domain, 4, 1, {Box{{4, 0}, {8, 4}}}, {4, 4, {16, 16, 4, 4, 4}});
  EXPECT_EQ(known.boxes_of(1).size(), 1u);
  EXPECT_THROW((void)known.boxes_of(0), std::logic_error);
  EXPECT_THROW(known.for_each_meeting(domain, [](int, int, const Box&) {}), std::logic_error);
}

TEST(Directory, EveryBrickHasADifferentOwner) {
  for (const int n_ranks : {1, 2, 3, 7, 64, 97, 1000, 4099}) {
    for (const Box& domain : {Box{{0}, {5}}, Box{{0, 0, 0}, {3, 100, 7}}, Box{{0, 0, 0}, {500, 300, 400}}}) {
      const DirectoryOwners owners(domain, n_ranks);
      std::set<int> ranks;
      for (Index brick = 0; brick < owners.bricks().num_parts(); ++brick) {
        EXPECT_FALSE(owners.bricks().box(brick).empty());
        EXPECT_EQ(owners.brick_of(owners.owner_of(brick)), brick);
        ranks.insert(owners.owner_of(brick));
      }
      EXPECT_EQ(static_cast<Index>(ranks.size()), owners.bricks().num_parts());
      EXPECT_LT(*ranks.rbegin(), n_ranks);
      for (int r = 0; r < n_ranks; ++r) EXPECT_TRUE(owners.brick_of(r) < 0 || ranks.count(r) == 1);
    }
  }
}

/// N ranks with 8^3 samples each, all in one process.
struct Cube {
  explicit Cube(Index per_axis)
      : n_ranks(static_cast<int>(per_axis * per_axis * per_axis)),
        domain(Box::from_extent(3, {8 * per_axis, 8 * per_axis, 8 * per_axis, 1, 1})),
        parts(BrickDecomposition::near_cubic(3, domain.hi, n_ranks).value()),
        layout(BlockGrid(Bitmask::for_extent(3, domain.hi).value(), 9, domain), {{8, true}},
               idx::LayoutParameters{64, 512, 4096, InBlockOrder::kRowMajor}) {
    space.add(layout);
    BoxesOfRanks boxes;
    for (int r = 0; r < n_ranks; ++r) boxes.push_back({parts.box(r)});
    ownership = std::make_unique<Ownership>(space, n_ranks, n_ranks, 4096);
    all = std::make_shared<const BoxListDistribution>(domain, std::move(boxes));
  }

  int n_ranks;
  Box domain;
  BrickDecomposition parts;
  idx::IdxLayout layout;
  PieceSpace space;
  std::unique_ptr<Ownership> ownership;
  std::shared_ptr<const BoxListDistribution> all;
};

/// All boxes that the rank learns of.
std::size_t num_learnt(const Cube& cube, int rank, const Relays& relays) {
  const Index n = cube.n_ranks;
  const BoxTotals totals{n, n, {8 * n, 8 * n, 8 * n, n, n}};
  const auto known =
      std::make_shared<KnownBoxes>(cube.domain, cube.n_ranks, rank, cube.all->boxes_of(rank), totals);
  const std::vector<FieldPatches> fields{{0, 0, known}};
  std::vector<Box> regions;
  for_each_region_to_know(cube.space, *cube.ownership, fields, relays, rank,
                          [&](const Distribution&, const Box& region) { regions.push_back(region); });
  std::set<int> learnt;
  for (const auto& query : queries_for(known->owners(), regions)) {
    cube.all->for_each_meeting(query.second, [&](int r, int, const Box&) { learnt.insert(r); });
  }
  return learnt.size();
}

// A rank learns the boxes of its neighbours; as a relay of coarse levels, the about sqrt(N) boxes of one
// coarse box; as the aggregator of a coarse piece without relays, as many boxes as may send directly.
TEST(Directory, TheBoxesThatARankLearnsDoNotGrowWithTheNumberOfRanks) {
  for (const Index per_axis : {4, 8, 12}) {
    const Cube cube(per_axis);
    const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(cube.n_ranks)));
    for (const char* restructure : {"off", "default", "expanded"}) {
      const RelayRules rules{Restructure::parse(restructure).value(), 32};
      const Relays relays(cube.space, *cube.ownership, {{0, 0, cube.all}}, cube.n_ranks, rules);
      std::vector<std::size_t> learnt;
      for (int r = 0; r < cube.n_ranks; ++r) learnt.push_back(num_learnt(cube, r, relays));
      std::sort(learnt.begin(), learnt.end());
      std::printf("%d ranks, %s: median %zu, most %zu\n", cube.n_ranks, restructure,
                  learnt[learnt.size() / 2], learnt.back());
      EXPECT_LE(learnt[learnt.size() / 2], 4 * root + 27);
      EXPECT_LE(learnt.back(), 4 * root + 2 * 64);
    }
  }
}

TEST(Directory, AnOwnerKeepsAFewBoxes) {
  for (const int n_ranks : {64, 97, 512, 1000}) {
    const Box domain{{0, 0, 0}, {200, 190, 210}};
    const auto parts = BrickDecomposition::pism(3, domain.hi, n_ranks).value();  // columns, not cubes
    const DirectoryOwners owners(domain, n_ranks);
    for (Index brick = 0; brick < owners.bricks().num_parts(); ++brick) {
      EXPECT_LE(parts.parts_meeting(owners.bricks().box(brick)).num_samples(), 64);
    }
  }
}

}  // namespace
}  // namespace esker
