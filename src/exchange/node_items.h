// NodeItems: the messages that the ranks of a node send and receive. From them each rank derives its offsets
// in the memory of the node-level aggregation messages (NodeStaging).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "plan/plan.h"

namespace esker {

/// A message of one rank of a node.
struct NodeItem {
  std::uint64_t stage = 0;
  std::int64_t from = 0, to = 0, from_leader = 0, to_leader = 0;
  Index bytes = 0;
};

/// Combines the messages of the ranks' plans of one exchange by node, see NodePlan, if on some node at least
/// `min_senders` ranks have messages for one other node in one stage; with 0 it always does. Collective;
/// errors are those of all ranks. Cost on a rank: O(messages of its node).
Status combine_by_node(Comm& comm, Plan& plan, int min_senders);

class NodeItems {
 public:
  /// The items of this node. Collective, as combine_by_node().
  static Result<NodeItems> gather(Comm& comm, const Plan& plan);

  /// `lists` are those of the ranks of a node, ascending. Local, pure; may throw.
  NodeItems(std::span<const int> ranks, std::span<const std::span<const std::byte>> lists);
  /// The largest number of ranks of this node that have messages for one other node in one stage.
  [[nodiscard]] int most_senders() const;

  /// Changes `plan`, of rank `rank`, so that its messages travel with those of its node and have offsets in
  /// the node's memory. Relayed samples are kept apart. Local, pure; may throw.
  void combine(Plan& plan, int rank) const;

 private:
  std::span<const int> ranks_;   // of the node; the first is its leader
  std::vector<NodeItem> items_;  // by stage; sent ones before received ones; each by leader, source, target
};

}  // namespace esker
