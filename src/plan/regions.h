// Which regions a rank must know all boxes in, so that it can make its plan.
#pragma once

#include <functional>
#include <vector>

#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/relays.h"

namespace esker {

using VisitRegion = std::function<void(const Distribution& holders, const Box& region)>;

/// Calls visit for regions that hold all for which make_plan() of `rank` asks the distributions of `fields`;
/// beside those it asks for the rank's own boxes. They are: restructured boxes that its patches or its pieces
/// meet, coarse boxes that it relays, pieces that it aggregates and that go straight. Local, pure; of the
/// distributions it takes only what every rank knows. O(own boxes + own pieces).
void for_each_region_to_know(const PieceSpace& space, const Ownership& ownership,
                             const std::vector<FieldPatches>& fields, const Relays& relays, int rank,
                             const VisitRegion& visit);

}  // namespace esker
