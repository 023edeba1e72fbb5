// count_step: totals of the plans of all ranks of a step, for any number of ranks in one process.
#pragma once

#include <functional>
#include <vector>

#include "esker/types/plan_loads.hpp"
#include "esker/types/status.hpp"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "plan/relays.h"
#include "plan/traffic.h"

namespace esker {

struct StepCounts {
  std::vector<RankTraffic> ranks;
  MessageSizes to_relays{}, to_aggregators{};
  // In partitions.
  std::vector<RankTraffic> in_partitions;           ///< of `ranks`, without the coarse part
  Index crossing_messages = 0, crossing_bytes = 0;  ///< between partitions, likewise
  Index rounds = 0;                                 ///< of the rank with the most rounds
  int writers = 0;                                  ///< ranks that write
  int aggregators = 0;                              ///< ranks that collect samples; some may collect none
  // Restructured boxes of all grids: number, volume relative to the samples, ranks that receive some.
  Index boxes = 0;
  double volume_ratio = 0;
  Index receivers = 0;
  PlanLoads loads;  ///< empty unless requested
};

/// Counts a step that is moved by messages, with collective buffers of a size that fits the rank with the
/// largest needs. `pulse` is called often, and may throw to end the counting. With `ranks_per_node` > 0 the
/// loads of nodes and files are counted, too. Local, pure. kOutOfMemory: the budget does not hold a single
/// piece at a time. Cost: as TrafficCounter; without `policy.aggregate` the plan of each rank is made.
Result<StepCounts> count_step(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                              const ExchangePolicy& policy, int n_ranks, const Placement& placement,
                              const std::function<void()>& pulse, int ranks_per_node = 0);

/// The aggregators, spread evenly over the rank numbers, where the policy takes the layouts' own file
/// domains. Otherwise empty. Local, pure.
Placement spread_over_ranks(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                            const ExchangePolicy& policy, int n_ranks);

}  // namespace esker
