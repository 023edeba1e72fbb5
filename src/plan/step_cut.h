// StepCut: how a step is cut into aggregators and rounds for a number of ranks. Pure, the same on every rank:
// who writes or reads asks it for its own rank's plan, plan_step() for those of all.
#pragma once

#include <span>
#include <vector>

#include "esker/options.hpp"
#include "plan/ownership.h"
#include "plan/plan.h"
#include "plan/regions.h"
#include "plan/traffic.h"

namespace esker {

/// Whether the options say at most once how many ranks aggregate.
Status check_aggregators(const Options& options);

/// Ranks that write, as the options have them; 0: they leave it open.
int asked_aggregators(const Options& options, int n_ranks);

/// Ranks that collect and store, by the options and what there is to store.
int num_aggregators(const Options& options, int n_ranks, const PieceSpace& space);

/// Buffers of a round hold what is sent, received and stored in it; next to them the budget holds the plan.
/// How much a rank sends depends on where its samples go, so the window starts at a third of the budget and
/// shrinks, down to one piece, until the largest rank fits. No message or window is larger than 1 GiB,
/// whatever the budget: MPI counts are 32 bits. Where plans are counted and not made (plan_step()), buffers
/// alone count.
class StepCut {
 public:
  /// Windows of a rank that near ones fill: as many as let neighbours work ahead.
  static constexpr int kSharedSlots = 8;

  /// `space` and `options` outlive it. `near`: ranks that fill each other's windows, see place_near(); of
  /// other ranks' plans nothing is known then.
  /// `most_slots`: see place_near(). `placement`: of the aggregators; without ranks, the contiguous rule,
  /// spread over the numbers of ranks.
  StepCut(const PieceSpace& space, const Options& options, int n_ranks, std::span<const int> near = {},
          const Placement& placement = {}, int most_slots = kSharedSlots);

  /// How samples travel with the window as it is: to be made anew when it shrinks.
  [[nodiscard]] Relays relays(const std::vector<FieldPatches>& fields) const;
  [[nodiscard]] Plan plan_of(int rank, const std::vector<FieldPatches>& fields, const Relays& relays) const;
  /// Calls visit for the regions that plan_of(rank, fields, relays) must know.
  void for_each_region_to_know(int rank, const std::vector<FieldPatches>& fields, const Relays& relays,
                               const VisitRegion& visit) const;
  [[nodiscard]] const Ownership& ownership() const { return ownership_; }
  /// Ranks that write samples, of which `n_holders` hold some.
  [[nodiscard]] int num_writers(int n_holders) const {
    return options_.aggregate ? ownership_.num_writers() : n_holders;
  }

  /// The most of any rank.
  struct Needs {
    Index buffer_bytes = 0;
    Index plan_bytes = 0;          ///< of the plan itself; 0 where plans are counted and not made
    Index largest_part_bytes = 0;  ///< of what goes into one call

    [[nodiscard]] Index total_bytes() const { return buffer_bytes + plan_bytes; }
  };
  static Needs needs_of(const Plan& plan);
  static Needs needs_of(const std::vector<RankTraffic>& ranks);
  [[nodiscard]] bool fits(const Needs& needs) const;
  /// A smaller window; false if it is one piece already.
  bool shrink();
  /// What to say then.
  [[nodiscard]] Status does_not_fit(const Needs& needs) const;

 private:
  const PieceSpace& space_;
  const Options& options_;
  int n_ranks_;
  std::span<const int> near_;
  int num_slots_;
  Index least_bytes_;
  Ownership ownership_;
};

}  // namespace esker
