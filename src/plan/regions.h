// The regions in which a rank must know all boxes to make its plan.
#pragma once

#include <functional>
#include <vector>

#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/relays.h"

namespace esker {

using VisitRegion = std::function<void(const Distribution& holders, const Box& region)>;

/// Calls visit for regions that contain everything that make_plan() of `rank` queries from the distributions
/// of `fields`, except the rank's own boxes: restructured boxes that its patches or its pieces intersect,
/// coarse boxes that it relays, pieces that it aggregates without relays. Local, pure; it uses only what
/// every rank knows of the distributions. O(own boxes + own pieces).
void for_each_region_to_know(const PieceSpace& space, const Ownership& ownership,
                             const std::vector<FieldPatches>& fields, const Relays& relays, int rank,
                             const VisitRegion& visit);

}  // namespace esker
