// MailPlan: how the messages of a node's ranks travel together - one message per pair of nodes and hop.
//
// The ranks of a node pack into one stretch of memory that they share; their leader, the first of them, sends
// from it and receives into it. In a hop it holds, for each other node, the messages from ranks of this node,
// then those to them; messages between ranks of the node stand there, too, and are read where they were
// packed. Messages of two nodes are in the order of (source rank, target rank) on both sides, so that these
// derive the same places from what each node knows of its own ranks' messages.
#pragma once

#include <vector>

#include "esker/box.hpp"

namespace esker {

/// What one leader sends to, or receives from, another in one hop.
struct NodeMessage {
  int leader = 0;  ///< of the other node
  Index offset_bytes = 0, bytes = 0;
};

/// Part of one rank's plan; the counts are the same on all ranks of a node.
struct MailHop {
  int num_packers = 0, num_readers = 0;  ///< ranks of the node that have messages for others, or from them
  std::vector<NodeMessage> sends, receives;  ///< ascending leaders; on the leader only

  [[nodiscard]] bool is_busy() const { return num_packers + num_readers > 0; }
};

struct MailPlan {
  bool used = false;
  bool is_busy = false;  ///< ranks of the node have messages in some hop
  std::vector<MailHop> hops;
  Index bytes = 0;          ///< of the memory of the node
  Index share_bytes = 0;    ///< of it, for each rank of the node
  Index largest_bytes = 0;  ///< of a message between nodes
};

}  // namespace esker
