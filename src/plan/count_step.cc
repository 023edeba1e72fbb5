#include "plan/count_step.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "plan/bricks.h"
#include "plan/field_boxes.h"
#include "plan/partition_ranks.h"
#include "plan/step_cut.h"

namespace esker {
namespace {

/// Raises `most` to the maximum of both.
void raise(StepCut::Needs& most, const StepCut::Needs& needs) {
  most.buffer_bytes = std::max(most.buffer_bytes, needs.buffer_bytes);
  most.largest_part_bytes = std::max(most.largest_part_bytes, needs.largest_part_bytes);
}

class StepCounter {
 public:
  StepCounter(const PieceSpace& space, const std::vector<FieldPatches>& fields, const ExchangePolicy& policy,
              int n_ranks, const Placement& placement, const std::function<void()>& pulse, int ranks_per_node)
      : space_(space),
        fields_(fields),
        policy_(policy),
        n_ranks_(n_ranks),
        pulse_(pulse),
        ranks_per_node_(ranks_per_node),
        cut_(space, policy, n_ranks, {}, placement) {}

  Result<StepCounts> count() {
    const auto attempt = [&] { return policy_.aggregate ? count_traffic() : count_runs(); };
    ESKER_RETURN_IF_ERROR(cut_.fit([](const auto& action) { return action(); }, attempt));
    counts_.writers = cut_.num_writers(num_holders(fields_, n_ranks_));
    if (!policy_.aggregate) return std::move(counts_);
    counts_.aggregators = cut_.ownership().num_aggregators();
    count_boxes();
    return std::move(counts_);
  }

 private:
  /// Stops as soon as the budget is known to be too small.
  Result<StepCut::Needs> count_traffic() {
    const Ownership& ownership = cut_.ownership();
    counts_ = {};
    counts_.ranks.resize(static_cast<std::size_t>(n_ranks_));
    counts_.rounds = ownership.num_rounds();
    const Index end_of_coarse = ownership.num_coarse_rounds();
    std::optional<LoadCounter> loads;
    if (ranks_per_node_ > 0) loads.emplace(space_, n_ranks_, ranks_per_node_);
    LoadCounter* counted = loads ? &*loads : nullptr;
    StepCut::Needs most = add_rounds(0, end_of_coarse, counted);
    raise(most, add_rounds(end_of_coarse, counts_.rounds, counted));
    if (loads) counts_.loads = loads->take();
    return most;
  }

  /// Counts the rounds [first, last). `loads` is null if loads are not asked for.
  StepCut::Needs add_rounds(Index first, Index last, LoadCounter* loads) {
    StepCut::Needs most;
    if (first == last) return most;
    const Relays relays = cut_.relays(fields_);
    TrafficCounter counter(space_, cut_.ownership(), fields_, relays, pulse_, loads);
    for (Index r = first; r < last && cut_.fits(most); ++r) {
      counter.add_round(r);
      most = StepCut::needs_of(counter.ranks());
    }
    for (std::size_t r = 0; r < counts_.ranks.size(); ++r) counts_.ranks[r].add(counter.ranks()[r]);
    for (std::size_t i = 0; i < counts_.to_relays.size(); ++i) {
      counts_.to_relays[i] += counter.to_relays()[i];
      counts_.to_aggregators[i] += counter.to_aggregators()[i];
    }
    if (!cut_.ownership().partitions() || last <= cut_.ownership().num_coarse_rounds()) return most;
    counts_.in_partitions = counter.ranks();
    counts_.crossing_messages = counter.crossing_messages();
    counts_.crossing_bytes = counter.crossing_bytes();
    return most;
  }

  /// Counts for one-phase writing: each rank writes its own runs of samples.
  Result<StepCut::Needs> count_runs() {
    counts_ = {};
    const Relays relays = cut_.relays(fields_);
    std::optional<LoadCounter> loads;
    if (ranks_per_node_ > 0) loads.emplace(space_, n_ranks_, ranks_per_node_);
    StepCut::Needs most;
    for (int rank = 0; rank < n_ranks_ && cut_.fits(most); ++rank) {
      pulse_();
      const Plan plan = cut_.plan_of(rank, fields_, relays);
      add_runs(plan);
      if (loads) add_own(rank, plan, *loads);
      raise(most, {plan.total_buffer_bytes(), 0, StepCut::needs_of(plan).largest_part_bytes});
    }
    if (loads) counts_.loads = loads->take();
    return most;
  }

  static void add_own(int rank, const Plan& plan, LoadCounter& loads) {
    for (const Round& round : plan.rounds) {
      for (const Segment& segment : round.local.segments) loads.add_own(rank, segment);
    }
  }

  void add_runs(const Plan& plan) {
    RankTraffic& of_rank = counts_.ranks.emplace_back();
    of_rank.buffer_bytes = plan.buffer_bytes + plan.mask_bytes;
    for (const Round& round : plan.rounds) {
      of_rank.written_bytes += round.local.bytes;
      for (const Segment& part : round.local.segments) count_message(counts_.to_aggregators, part.bytes());
    }
    counts_.rounds = std::max(counts_.rounds, static_cast<Index>(plan.rounds.size()));
  }

  void count_boxes() {
    const Relays relays = cut_.relays(fields_);
    RelayFinder finder(relays, fields_);
    std::set<const Distribution*> counted;
    std::vector<bool> receives(static_cast<std::size_t>(n_ranks_));
    for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
      const Distribution& holders = *fields_[static_cast<std::size_t>(f)].holders;
      const VirtualGrid& relay_grid = relays.relay_grids(f).back();
      if (!relay_grid.boxes || !counted.insert(&holders).second) continue;
      counts_.boxes += relay_grid.boxes->num_parts();
      counts_.volume_ratio += relays.volume_ratio(f);
      for (Index box = 0; box < relay_grid.boxes->num_parts(); ++box) {
        pulse_();
        const int relay = finder.relay_of(f, relay_grid, box, 0);
        if (relay >= 0) receives[static_cast<std::size_t>(relay)] = true;
      }
    }
    counts_.receivers = std::count(receives.begin(), receives.end(), true);
  }

  const PieceSpace& space_;
  const std::vector<FieldPatches>& fields_;
  const ExchangePolicy& policy_;
  int n_ranks_;
  const std::function<void()>& pulse_;
  int ranks_per_node_;
  StepCut cut_;
  StepCounts counts_;
};

}  // namespace

Result<StepCounts> count_step(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                              const ExchangePolicy& policy, int n_ranks, const Placement& placement,
                              const std::function<void()>& pulse, int ranks_per_node) {
  return StepCounter(space, fields, policy, n_ranks, placement, pulse, ranks_per_node).count();
}

Placement spread_over_ranks(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                            const ExchangePolicy& policy, int n_ranks) {
  Placement placement;
  if (policy.partitions > 0 && n_ranks > 1 && space.num_pieces() > 0) {
    PartitionCut cut(space, policy.partitions, policy.in_file_order);
    std::vector<Index> places;
    for (int rank = 0; rank < n_ranks; ++rank) places.push_back(place_of_rank(cut, fields, rank));
    return place_in_partitions(std::move(cut), places,
                               num_aggregators(policy, n_ranks, space) / policy.partitions);
  }
  if (!policy.domains_of_layout) return placement;
  const Index n = num_aggregators(policy, n_ranks, space);
  placement.bricks = bricks_of_layouts(space, fields, static_cast<int>(n));
  for (Index a = 0; a < n; ++a) placement.ranks.push_back(static_cast<int>(a * n_ranks / n));
  return placement;
}

}  // namespace esker
