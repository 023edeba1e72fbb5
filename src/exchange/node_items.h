// NodeItems: what the ranks of a node send and receive, from which each derives its places in the node's
// mail.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/box.hpp"
#include "esker/status.hpp"
#include "plan/plan.h"

namespace esker {

/// A message of one rank of a node.
struct MailItem {
  std::uint64_t hop = 0;
  std::int64_t from = 0, to = 0, from_leader = 0, to_leader = 0;
  Index bytes = 0;
};

/// Combines the messages of the ranks' plans of one exchange by node, see MailPlan, if on some node at least
/// `min_senders` ranks have messages for one other node in one hop; 0: in any case. Collective; errors are
/// those of all ranks. Cost on a rank: O(messages of its node).
Status combine_by_node(Comm& comm, Plan& plan, int min_senders);

class NodeItems {
 public:
  /// Of this node. Collective, as combine_by_node().
  static Result<NodeItems> gather(Comm& comm, const Plan& plan);

  /// `lists` of the ranks of a node, ascending. Local, pure; may throw.
  NodeItems(std::span<const int> ranks, std::span<const std::span<const std::byte>> lists);
  /// The most ranks of this node that have messages for one other node in one hop.
  [[nodiscard]] int most_senders() const;

  /// Makes `plan`, of rank `rank`, one whose messages travel with those of its node; they have their places
  /// in its memory then. Relayed samples are apart. Local, pure; may throw.
  void combine(Plan& plan, int rank) const;

 private:
  std::span<const int> ranks_;   // of the node, whose first leads it
  std::vector<MailItem> items_;  // by hop; sent ones before received ones; each by leader, source, target
};

}  // namespace esker
