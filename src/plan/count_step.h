// count_step: what the plans of all ranks of a step amount to, for any number of ranks in one process.
#pragma once

#include <functional>
#include <vector>

#include "esker/status.hpp"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "plan/relays.h"
#include "plan/traffic.h"

namespace esker {

struct StepCounts {
  std::vector<RankTraffic> ranks;
  MessageSizes to_relays{}, to_aggregators{};
  Index rounds = 0;     ///< of the rank that has most
  int writers = 0;      ///< ranks that write
  int aggregators = 0;  ///< ranks that collect samples; some may have none
  // Restructured boxes of all grids: how many, their volume over that of the samples, ranks that receive
  // some.
  Index boxes = 0;
  double volume_ratio = 0;
  Index receivers = 0;
};

/// Counts a step that is moved by messages, with collective buffers that suit the rank that needs most.
/// `pulse` is called often, and may throw to end the counting. Local, pure. kOutOfMemory: one piece at a time
/// does not fit in the budget. Cost: as TrafficCounter; without `policy.aggregate` the plan of each rank is
/// made.
Result<StepCounts> count_step(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                              const ExchangePolicy& policy, int n_ranks, const Placement& placement,
                              const std::function<void()>& pulse);

/// Aggregators with the layouts' own file domains, where the policy has them: spread evenly over the numbers
/// of ranks. Else nothing. Local, pure.
Placement spread_over_ranks(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                            const ExchangePolicy& policy, int n_ranks);

}  // namespace esker
