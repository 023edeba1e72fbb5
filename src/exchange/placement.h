// Chooses the aggregators and their file domains.
#pragma once

#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "plan/relays.h"

namespace esker {

/// Follows the policy. Collective, the same on all ranks; O(aggregators). Errors: those of all ranks
/// (memory).
Result<Placement> place_aggregators(Comm& comm, const PieceSpace& space,
                                    const std::vector<FieldPatches>& fields, const ExchangePolicy& policy);

/// `n_aggregators` ranks, spread evenly over the nodes, however ranks are numbered: evenly over the list of
/// all ranks sorted by node. Collective, the same on all ranks; O(n_aggregators). Errors: those of all ranks
/// (memory).
Result<std::vector<int>> spread_over_nodes(Comm& comm, int n_aggregators);

/// Makes the ranks of a list distinct: a rank that is already in use (or -1) becomes the next free rank,
/// cyclically.
void make_different(std::vector<int>& ranks, int n_ranks);

}  // namespace esker
