// What a plan asks of nodes and files: the input of a cost model of a machine (docs/guide/scale.md).
#pragma once

#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"

namespace esker {

/// Messages of one stage of a step that the ranks of a node exchange with other nodes, and among themselves.
struct ESKER_API StageLoad {
  Index messages_out = 0, messages_in = 0;  ///< to and from other nodes
  Index bytes_out = 0, bytes_in = 0;        ///< to and from other nodes
  Index bytes_inside = 0;                   ///< between different ranks of the node
  /// Waiting receives that arriving messages are compared with, in all rounds, of the rank with the most: n
  /// messages of a round arrive in any order, so that each passes half of those that are left, n * n / 4 in
  /// all.
  Index compared = 0;
};

/// What the ranks of one node do in a step.
struct ESKER_API NodeLoad {
  StageLoad to_relays, to_aggregators;
};

/// Consecutive bytes of a file that one rank writes in one round. One-phase: bytes of one piece, which may be
/// anywhere in it, but count as its first ones.
struct ESKER_API WrittenExtent {
  Index file =
      0;  ///< number of the file, in the order of the plan; all fields in a shared file have the same
  Index offset_bytes = 0, size_bytes = 0;
  Index rank = 0;
  Index round = 0;
  Index writes = 1;  ///< calls that store them: runs of samples that follow each other
};

/// Of all nodes, and of all files in the order in which bytes arrive: by round, then by aggregator.
struct ESKER_API PlanLoads {
  int ranks_per_node = 0;  ///< rank r is on node r / ranks_per_node
  std::vector<NodeLoad> nodes;
  std::vector<WrittenExtent> extents;
};

}  // namespace esker
