// Plans with relays, run on all ranks in one process: every byte of every buffer is right.
#include "plan/relays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "unit/plan/plan_case.h"
#include "unit/plan/relay_settings.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cases and tilings

constexpr unsigned char kPoison = 0xEE;

/// The bytes of the sample at `p`.
std::uint64_t value_at(int field, const Point& p) {
  std::uint64_t value = 1469598103934665603u + static_cast<unsigned>(field);
  for (const Index i : p) value = (value ^ static_cast<std::uint64_t>(i)) * 1099511628211u;
  return value;
}

/// All ranks of an exchange, one plan each, and the buffers that the plans ask for.
class Simulation {
 public:
  Simulation(const PlanCase& test, const Ownership& ownership, const RelayRules& rules) : test_(test) {
    const Relays relays(test.space, ownership, test.fields, test.n_ranks, rules);
    for (int r = 0; r < test.n_ranks; ++r) {
      plans_.push_back(make_plan(test.space, ownership, test.fields, relays, r));
      const Plan& plan = plans_.back();
      send_.emplace_back(static_cast<std::size_t>(plan.send_bytes));
      receive_.emplace_back(static_cast<std::size_t>(plan.receive_bytes));
      buffer_.emplace_back(static_cast<std::size_t>(plan.buffer_bytes));
    }
  }

  [[nodiscard]] const std::vector<Plan>& plans() const { return plans_; }

  void run() {
    for (std::size_t round = 0; round < plans_.front().rounds.size(); ++round) {
      for (auto* buffers : {&send_, &receive_, &buffer_}) {
        for (auto& buffer : *buffers) std::fill(buffer.begin(), buffer.end(), kPoison);
      }
      for_all(round, [&](int r, const Round& plan) { send_first_stage(r, plan); });
      transfer(
          round, [](const Round& plan) -> auto& { return plan.relay.sends; },
          [](const Round& plan) -> auto& { return plan.relay.receives; });
      for_all(round, [&](int r, const Round& plan) { collect_relayed(r, plan); });
      for_all(round, [&](int r, const Round& plan) { pack(r, plan.sends); });
      transfer(
          round, [](const Round& plan) -> auto& { return plan.sends; },
          [](const Round& plan) -> auto& { return plan.receives; });
      for_all(round, [&](int r, const Round& plan) { place(r, plan); });
      for_all(round, [&](int r, const Round& plan) { check_buffer(r, plan.content); });
    }
  }

  /// Number of samples in buffers, per field.
  [[nodiscard]] const std::map<int, Index>& found() const { return found_; }

 private:
  using Buffer = std::vector<unsigned char>;

  template <class Do>
  void for_all(std::size_t round, const Do& action) {
    for (std::size_t r = 0; r < plans_.size(); ++r) action(static_cast<int>(r), plans_[r].rounds[round]);
  }

  /// Calls visit(lattice index, grid point) for the samples of a segment, in the order of sending.
  template <class Visit>
  static void for_each_sample(const Segment& s, const Visit& visit) {
    for_each_index_point(s.indices, [&](const Point& i) {
      Point relative = i;
      for (int a = 0; a < s.indices.rank; ++a) relative[a] -= s.indices.lo[a];
      visit(i, s.samples.point(relative));
    });
  }

  /// Gives access only to samples that the rank holds.
  void gather(int rank, const Segment& s, unsigned char* target) {
    const auto boxes = test_.fields[static_cast<std::size_t>(s.field)].holders->boxes_of(rank);
    const Box& box = boxes.at(static_cast<std::size_t>(s.patch));
    for_each_sample(s, [&](const Point&, const Point& p) {
      ASSERT_TRUE(box.contains(p));
      const std::uint64_t value = value_at(s.field, p);
      std::memcpy(target, &value, static_cast<std::size_t>(s.sample_bytes));
      target += s.sample_bytes;
    });
  }

  void pack(int rank, const std::vector<Message>& sends) {
    for (const Message& message : sends) {
      Index at = message.offset_bytes;
      for (const Segment& s : message.segments) {
        if (s.patch != kRelayed) gather(rank, s, &send_[static_cast<std::size_t>(rank)].at(at));
        at += s.bytes();
      }
      ASSERT_EQ(at, message.offset_bytes + message.bytes);
      ASSERT_LE(at, static_cast<Index>(send_[static_cast<std::size_t>(rank)].size()));
    }
  }

  void send_first_stage(int rank, const Round& round) {
    pack(rank, round.relay.sends);
    for (const Segment& s : round.relay.local.segments) {
      Buffer dense(static_cast<std::size_t>(s.bytes()));
      gather(rank, s, dense.data());
      put_in_relayed(rank, round, s, dense.data());
    }
  }

  template <class Sends, class Receives>
  void transfer(std::size_t round, const Sends& sends, const Receives& receives) {
    std::set<std::pair<int, int>> sent;
    for_all(round, [&](int from, const Round& plan) {
      for (const Message& message : sends(plan)) {
        ASSERT_NE(message.peer, from);
        ASSERT_TRUE(sent.insert({from, message.peer}).second);
        const auto& inbox = receives(plans_[static_cast<std::size_t>(message.peer)].rounds[round]);
        const auto match =
            std::find_if(inbox.begin(), inbox.end(), [&](const Message& m) { return m.peer == from; });
        ASSERT_NE(match, inbox.end());
        ASSERT_EQ(match->bytes, message.bytes);
        Buffer& target = receive_[static_cast<std::size_t>(message.peer)];
        ASSERT_LE(match->offset_bytes + match->bytes, static_cast<Index>(target.size()));
        std::memcpy(target.data() + match->offset_bytes,
                    send_[static_cast<std::size_t>(from)].data() + message.offset_bytes,
                    static_cast<std::size_t>(message.bytes));
      }
    });
    std::size_t expected = 0;
    for_all(round, [&](int, const Round& plan) { expected += receives(plan).size(); });
    ASSERT_EQ(sent.size(), expected);
  }

  void put_in_relayed(int rank, const Round& round, const Segment& s, const unsigned char* source) {
    const Relayed& whole = round.relay.relayed.at(static_cast<std::size_t>(s.relayed));
    ASSERT_TRUE(whole.indices.contains(s.indices));
    for_each_sample(s, [&](const Point& i, const Point&) {
      Index number = 0;
      for (int a = s.indices.rank - 1; a >= 0; --a) {
        number = number * whole.indices.extent(a) + i[a] - whole.indices.lo[a];
      }
      unsigned char* target =
          send_[static_cast<std::size_t>(rank)].data() + whole.offset_bytes + number * s.sample_bytes;
      std::memcpy(target, source, static_cast<std::size_t>(s.sample_bytes));
      source += s.sample_bytes;
    });
  }

  void collect_relayed(int rank, const Round& round) {
    for (const Message& message : round.relay.receives) {
      const unsigned char* source = receive_[static_cast<std::size_t>(rank)].data() + message.offset_bytes;
      for (const Segment& s : message.segments) {
        put_in_relayed(rank, round, s, source);
        source += s.bytes();
      }
    }
  }

  void put_in_buffer(int rank, const BufferContent& content, const Segment& s, const unsigned char* source) {
    for_each_sample(s, [&](const Point& i, const Point&) {
      const Index at = s.position - content.begin + s.order.at(i) * s.sample_bytes;
      ASSERT_LE(at + s.sample_bytes, content.size_bytes());
      std::memcpy(buffer_[static_cast<std::size_t>(rank)].data() + at, source,
                  static_cast<std::size_t>(s.sample_bytes));
      source += s.sample_bytes;
    });
  }

  void place(int rank, const Round& round) {
    for (const Segment& s : round.local.segments) {
      Buffer dense(static_cast<std::size_t>(s.bytes()));
      gather(rank, s, dense.data());
      put_in_buffer(rank, round.content, s, dense.data());
    }
    for (const Message& message : round.receives) {
      const unsigned char* source = receive_[static_cast<std::size_t>(rank)].data() + message.offset_bytes;
      for (const Segment& s : message.segments) {
        put_in_buffer(rank, round.content, s, source);
        source += s.bytes();
      }
    }
  }

  [[nodiscard]] int number_of_field(int layout, int field) const {
    const auto found = std::find_if(test_.fields.begin(), test_.fields.end(), [&](const FieldPatches& f) {
      return f.layout == layout && f.field == field;
    });
    return static_cast<int>(found - test_.fields.begin());
  }

  /// Expects the bytes of the grid's samples, and no other change.
  void check_buffer(int rank, const BufferContent& content) {
    Buffer expected(static_cast<std::size_t>(content.size_bytes()), kPoison);
    Index covered = 0;
    for (Index number = content.first_piece; number < content.last_piece; ++number) {
      const Piece piece = test_.space.piece(number);
      const int layout = test_.space.layout_of(number);
      const int field = number_of_field(layout, piece.field);
      const Box domain = test_.fields[static_cast<std::size_t>(field)].holders->domain();
      for (int n = 0; n < piece.num_parts; ++n) {
        const PiecePart part = test_.space.layout(layout).part(piece, n);
        for_each_index_point(part.lattice.indices_in(domain), [&](const Point& i) {
          const std::uint64_t value = value_at(field, part.lattice.point(i));
          const Index at = test_.space.position_bytes(number) - content.begin +
                           (part.first_sample + part.order.at(i)) * piece.sample_bytes;
          std::memcpy(&expected[static_cast<std::size_t>(at)], &value,
                      static_cast<std::size_t>(piece.sample_bytes));
          ++found_[field];
          covered += piece.sample_bytes;
        });
      }
    }
    if (content.size_bytes() == 0) return;
    ASSERT_EQ(content.complete(), covered == content.size_bytes());
    ASSERT_EQ(std::memcmp(expected.data(), buffer_[static_cast<std::size_t>(rank)].data(), expected.size()),
              0);
  }

  const PlanCase& test_;
  std::vector<Plan> plans_;
  std::vector<Buffer> send_, receive_, buffer_;
  std::map<int, Index> found_;
};

class RelayedPlans : public testing::TestWithParam<std::tuple<RelaySetting, int, int>> {
 protected:
  [[nodiscard]] static RelayRules rules() { return std::get<0>(GetParam()).rules(); }
};

TEST_P(RelayedPlans, FillEveryBuffer) {
  const auto& [setting, n_ranks, seed] = GetParam();
  std::mt19937 random(static_cast<unsigned>(100 * seed + n_ranks));
  PlanCase test = random_case(random, n_ranks);
  if (seed % 2 == 1) {  // a Cartesian split
    for (std::size_t f = 0; f < test.fields.size(); ++f) {
      const Box& domain = test.domains[f];
      test.fields[f].holders = std::make_shared<const BrickDistribution>(
          BrickDecomposition::near_cubic(domain.rank, domain.hi, n_ranks).value());
    }
  }
  const int aggregators = 1 + static_cast<int>(random() % static_cast<unsigned>(n_ranks));
  const auto buffer_bytes = 1 + static_cast<Index>(random() % 20000);
  const Ownership ownership = test.n_partitions > 0 && seed % 3 > 0
                                  ? random_partitions(test, aggregators, buffer_bytes, random)
                                  : Ownership(test.space, n_ranks, aggregators, buffer_bytes);
  Simulation simulation(test, ownership, rules());
  simulation.run();
  for (std::size_t f = 0; f < test.fields.size(); ++f) {
    ASSERT_EQ(simulation.found().at(static_cast<int>(f)), test.stored[f].num_samples());
  }
}

INSTANTIATE_TEST_SUITE_P(Random, RelayedPlans,
                         testing::Combine(testing::ValuesIn(kRelaySettings), testing::Values(1, 2, 4, 7, 33),
                                          testing::Range(0, 6)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "On" +
                                  std::to_string(std::get<1>(test.param)) + "Case" +
                                  std::to_string(std::get<2>(test.param));
                         });

/// 3-D bricks of 6^3 samples, one field, small blocks.
PlanCase bricks(Index per_axis) {
  PlanCase test;
  test.n_ranks = static_cast<int>(per_axis * per_axis * per_axis);
  const Index extent = 6 * per_axis;
  const Box box = Box::from_extent(3, {extent, extent, extent, 1, 1});
  const Bitmask mask = Bitmask::for_extent(3, box.hi).value();
  test.layouts.push_back(
      std::make_unique<idx::IdxLayout>(BlockGrid(mask, 12, box), std::vector<idx::LayoutField>{{8, true}},
                                       idx::LayoutParameters{64, 512, 4096, InBlockOrder::kRowMajor}));
  test.space.add(*test.layouts.back());
  const auto parts = BrickDecomposition::even(3, box.hi, {per_axis, per_axis, per_axis, 1, 1}).value();
  test.fields.push_back({0, 0, std::make_shared<const BrickDistribution>(parts)});
  test.domains.push_back(box);
  return test;
}

std::size_t max_fan_in(const std::vector<Plan>& plans) {
  std::size_t most = 0;
  for (const Plan& plan : plans) {
    for (const Round& round : plan.rounds) {
      most = std::max({most, round.receives.size(), round.relay.receives.size()});
    }
  }
  return most;
}

TEST(Relays, BoundTheNumberOfSenders) {
  const PlanCase test = bricks(9);  // 729 ranks
  const Ownership ownership(test.space, test.n_ranks, test.n_ranks, 4096);
  Simulation straight(test, ownership, {{}, test.n_ranks});
  Simulation relayed(test, ownership, {{}, 54});
  EXPECT_EQ(max_fan_in(straight.plans()), 728u);  // the aggregator of block 0 receives from all others
  EXPECT_LE(max_fan_in(relayed.plans()), 4 * 27u);
  relayed.run();
  EXPECT_EQ(relayed.found().at(0), test.domains[0].num_samples());
}

TEST(Relays, AlignedBoxesNeedNoRelays) {
  PlanCase aligned = bricks(4);
  aligned.fields[0].holders = std::make_shared<const BrickDistribution>(
      BrickDecomposition::from_cuts({{0, 8, 16, 24}, {0, 8, 16, 24}, {0, 8, 16, 24}}).value());
  const Ownership ownership(aligned.space, 27, 27, 4096);
  const Relays relays(aligned.space, ownership, aligned.fields, 27,
                      {Restructure::parse("default").value(), 0});
  for (int r = 0; r < 27; ++r) {
    for (const Round& round : make_plan(aligned.space, ownership, aligned.fields, relays, r).rounds) {
      EXPECT_TRUE(round.relay.sends.empty());
      EXPECT_TRUE(round.relay.receives.empty());
    }
  }
}

TEST(Relays, OfCoarseLevelsAreAllRanksInTurn) {
  for (const int n_ranks : {1, 5, 16, 1000, 1 << 20}) {
    for (const Index n_boxes : {Index{1}, Index{4}, Index{30}, Index{1024}}) {
      std::map<Index, int> seen;
      for (int r = 0; r < n_ranks; r += std::max(1, n_ranks / 1000)) {
        for (const Index box : coarse_boxes_of(r, n_boxes, n_ranks)) {
          EXPECT_TRUE(coarse_relays(box, n_boxes, n_ranks).contains(r));
          ++seen[box];
        }
      }
      if (n_ranks <= 1000) {
        EXPECT_EQ(static_cast<Index>(seen.size()), n_boxes);
      }
      for (Index b = 0; b < n_boxes; ++b) {
        const CoarseRelays relays = coarse_relays(b, n_boxes, n_ranks);
        for (int a = 0; a < 7; ++a) EXPECT_TRUE(relays.contains(relays.of(a)) && relays.of(a) < n_ranks);
      }
    }
  }
}

// The relay of a box is the rank with its largest part, or the lowest of equals, if any rank has samples of
// it.
TEST(Relays, OfABoxIsTheRankWithItsLargestPart) {
  const Box domain{{0, 0}, {16, 8}};
  const std::vector<FieldPatches> fields{
      {0, 0, shared(domain, {{Box{{0, 0}, {5, 8}}}, {}, {Box{{5, 0}, {12, 8}}}, {Box{{12, 0}, {16, 8}}}})}};
  const Bitmask mask = Bitmask::for_extent(2, domain.hi).value();
  const idx::IdxLayout layout(BlockGrid(mask, 4, domain), {{8, true}}, {8, 64, 64, InBlockOrder::kRowMajor});
  PieceSpace space;
  space.add(layout);
  const Ownership ownership(space, 4, 2, 4096);
  const Relays relays(space, ownership, fields, 4, {Restructure::parse("8,8").value(), 0});
  RelayFinder finder(relays, fields);
  const VirtualGrid& relay_grid = relays.relay_grid(0, layout.levels().last - 1);
  EXPECT_EQ(finder.relay_of(0, relay_grid, 0, 0), 0);  // 5 of 8 columns
  EXPECT_EQ(finder.relay_of(0, relay_grid, 1, 0), 2);  // 4 columns each
  EXPECT_EQ(finder.boxes_relayed_by(0, 0, relay_grid), std::vector<Index>{0});
  EXPECT_EQ(finder.boxes_relayed_by(1, 0, relay_grid), std::vector<Index>{});
  EXPECT_EQ(finder.boxes_relayed_by(2, 0, relay_grid), std::vector<Index>{1});
}

}  // namespace
}  // namespace esker
