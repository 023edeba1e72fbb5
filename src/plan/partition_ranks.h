// The ranks of partitions, by where their data lie.
#pragma once

#include <span>
#include <vector>

#include "plan/ownership.h"
#include "plan/plan.h"
#include "plan/relays.h"

namespace esker {

/// The Z address, in the main layout, of the center of the largest box that a rank holds there; -1 if it
/// holds none. Local, pure.
Index place_of_rank(const PartitionCut& cut, const std::vector<FieldPatches>& fields, int rank);

/// Divides ranks among partitions: a rank belongs to the partition that its place (as above) is in. Ranks
/// without a place join the partitions with the fewest ranks. Each partition gets `num_in_partition`
/// aggregators, its ranks at equal distances along the Z curve. If it has too few, ranks that do not
/// aggregate yet take part. num_in_partition * partitions <= ranks. Local, pure; O(ranks log ranks).
Placement place_in_partitions(PartitionCut cut, const std::vector<Index>& places, int num_in_partition);

/// Counts the messages of a plan in partitions (Plan::traffic). Local, pure.
void count_partition_traffic(const PieceSpace& space, const Ownership& ownership, int rank, Plan& plan);

}  // namespace esker
