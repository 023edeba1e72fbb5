// NodePlan: the node-level aggregation messages of a plan: one message per pair of nodes and stage.
//
// The ranks of a node pack into one segment of shared memory. Their leader, the first of them, sends from it
// and receives into it. In a stage the segment holds, for each other node, the messages from ranks of this
// node, then the messages to them. It also holds messages between ranks of the node, which are read where
// they were packed. Messages of two nodes are in the order of (source rank, target rank) on both sides, so
// that each node derives the same offsets from the messages of its ranks.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// A message between the leaders of two nodes in one stage.
struct NodeMessage {
  int leader = 0;  ///< of the other node
  Index offset_bytes = 0, bytes = 0;
};

/// Part of one rank's plan; the counts are the same on all ranks of a node.
struct NodeStage {
  int num_packers = 0, num_readers = 0;      ///< ranks of the node that send, or receive, messages
  std::vector<NodeMessage> sends, receives;  ///< ascending leaders; filled on the leader only

  [[nodiscard]] bool is_busy() const { return num_packers + num_readers > 0; }
};

struct NodePlan {
  bool used = false;
  bool is_busy = false;  ///< whether ranks of the node have messages in some stage
  std::vector<NodeStage> stages;
  Index bytes = 0;          ///< of the node's memory
  Index share_bytes = 0;    ///< of that memory, per rank of the node
  Index largest_bytes = 0;  ///< of a message between nodes
};

}  // namespace esker
