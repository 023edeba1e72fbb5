// StepCut: divides a step into aggregators and rounds for a number of ranks. Pure, the same on every rank:
// writing and reading request the plan of one rank, plan_step() the plans of all.
#pragma once

#include <span>
#include <vector>

#include "base/macros.h"
#include "plan/ownership.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/regions.h"
#include "plan/traffic.h"

namespace esker {

/// The number of ranks that collect and store, by the policy and the amount of data.
int num_aggregators(const ExchangePolicy& policy, int n_ranks, const PieceSpace& space);

/// The buffers of a round hold what is sent, received and stored in it. The budget includes them and the
/// plan. How much a rank sends depends on where its samples go, so the buffer (the size of a collective
/// buffer) starts at a third of the budget and shrinks, down to one piece, until the largest rank fits. No
/// message or buffer is larger than 1 GiB, whatever the budget: MPI counts are 32 bits. Where plans are
/// counted and not made (plan_step()), only buffers count.
class StepCut {
 public:
  /// `space` and `policy` must outlive it. `near`: ranks that fill each other's buffers, see place_near();
  /// the plans of other ranks are then unknown. `placement`: of the aggregators; without ranks, the
  /// contiguous rule, spread over the rank numbers.
  StepCut(const PieceSpace& space, const ExchangePolicy& policy, int n_ranks, std::span<const int> near = {},
          const Placement& placement = {});

  /// How samples travel with the current buffer size; recomputed when it shrinks.
  [[nodiscard]] Relays relays(const std::vector<FieldPatches>& fields) const;
  [[nodiscard]] Plan plan_of(int rank, const std::vector<FieldPatches>& fields, const Relays& relays) const;
  /// Calls visit for the regions that plan_of(rank, fields, relays) must know.
  void for_each_region_to_know(int rank, const std::vector<FieldPatches>& fields, const Relays& relays,
                               const VisitRegion& visit) const;
  [[nodiscard]] const Ownership& ownership() const { return ownership_; }
  /// The number of ranks that write samples, if `n_holders` ranks hold some.
  [[nodiscard]] int num_writers(int n_holders) const {
    return policy_.aggregate ? ownership_.num_writers() : n_holders;
  }

  /// The maximum over all ranks.
  struct Needs {
    Index buffer_bytes = 0;
    Index plan_bytes = 0;          ///< of the plan itself; 0 where plans are counted and not made
    Index largest_part_bytes = 0;  ///< of the send, receive and collective buffers

    [[nodiscard]] Index total_bytes() const { return buffer_bytes + plan_bytes; }
  };
  static Needs needs_of(const Plan& plan);
  static Needs needs_of(const std::vector<RankTraffic>& ranks);
  [[nodiscard]] bool fits(const Needs& needs) const;

  /// Shrinks the buffer until the budget holds what `attempt()` needs with the current cut. `attempt()`
  /// returns a Result<Needs>, the same on all ranks. `guarded(action)` runs actions that may throw. Errors:
  /// those of both, and kOutOfMemory where one piece at a time does not fit.
  template <class Guarded, class Attempt>
  Status fit(const Guarded& guarded, const Attempt& attempt) {
    for (bool shrinks = true; shrinks;) {
      ESKER_ASSIGN_OR_RETURN(needs_, attempt());
      if (fits(needs_)) return {};
      ESKER_RETURN_IF_ERROR(guarded([&] {
        shrinks = shrink();
        return Status();
      }));
    }
    return does_not_fit(needs_);
  }

 private:
  bool shrink();
  [[nodiscard]] Status does_not_fit(const Needs& needs) const;

  const PieceSpace& space_;
  const ExchangePolicy& policy_;
  int n_ranks_;
  std::span<const int> near_;
  int num_slots_;
  Index least_bytes_;
  Ownership ownership_;
  Needs needs_;  // of the last attempt
};

}  // namespace esker
