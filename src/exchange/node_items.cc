#include "exchange/node_items.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "plan/relay_stages.h"

namespace esker {
namespace {

using Leaders = std::map<int, std::int64_t>;  // by rank

/// Finds the leaders of the ranks that this rank has messages for or from. Collective; errors are those of
/// all ranks.
Status exchange_leaders(Comm& comm, const Plan& plan, Leaders& leaders) {
  const std::int64_t mine = comm.node_ranks().front();
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for_each_stage(plan, [&](std::uint64_t, const auto& sends, const auto& receives) {
      for (const Message& message : sends) leaders[message.peer] = 0;
      for (const Message& message : receives) leaders[message.peer] = 0;
    });
    comm.reserve_transfers(leaders.size(), leaders.size());
    return Status();
  }));
  for (auto& [rank, leader] : leaders) {
    comm.start_receive(std::as_writable_bytes(std::span(&leader, 1)), rank);
  }
  for (const auto& [rank, leader] : leaders) comm.start_send(std::as_bytes(std::span(&mine, 1)), rank);
  comm.finish();
  return {};
}

std::vector<NodeItem> items_of(const Plan& plan, std::int64_t rank, std::int64_t leader,
                               const Leaders& leaders) {
  std::vector<NodeItem> items;
  for_each_stage(plan, [&](std::uint64_t stage, const auto& sends, const auto& receives) {
    for (const Message& message : sends) {
      items.push_back({stage, rank, message.peer, leader, leaders.at(message.peer), message.bytes});
    }
    for (const Message& message : receives) {
      const std::int64_t of_peer = leaders.at(message.peer);
      items.push_back({stage, message.peer, rank, of_peer, leader, message.bytes});
    }
  });
  return items;
}

/// The message for or from `peer`. `messages` are sorted by ascending peers.
Message& message_with(std::vector<Message>& messages, std::int64_t peer) {
  return *std::lower_bound(messages.begin(), messages.end(), peer,
                           [](const Message& message, std::int64_t p) { return message.peer < p; });
}

/// Assigns the items of one stage their offsets, and sets them in the messages of `rank`.
class StageMessages {
 public:
  StageMessages(NodeStage& stage, int rank, std::int64_t leader)
      : stage_(stage), rank_(rank), leader_(leader) {}

  void add(const NodeItem& item, std::vector<Message>& sends, std::vector<Message>& receives) {
    const bool from_here = item.from_leader == leader_, to_here = item.to_leader == leader_;
    if (from_here) packers_.insert(item.from);
    if (to_here) readers_.insert(item.to);
    if (item.from == rank_) message_with(sends, item.to).offset_bytes = end_;
    if (item.to == rank_) message_with(receives, item.from).offset_bytes = end_;
    if (rank_ == leader_ && !(from_here && to_here)) {
      append(from_here ? stage_.sends : stage_.receives, from_here ? item.to_leader : item.from_leader, item);
    }
    end_ += item.bytes;
  }

  /// Returns the end of the last item.
  Index finish() {
    stage_.num_packers = static_cast<int>(packers_.size());
    stage_.num_readers = static_cast<int>(readers_.size());
    return end_;
  }

 private:
  void append(std::vector<NodeMessage>& messages, std::int64_t other, const NodeItem& item) {
    if (messages.empty() || messages.back().leader != other) {
      messages.push_back({static_cast<int>(other), end_, 0});
    }
    messages.back().bytes += item.bytes;
  }

  NodeStage& stage_;
  std::int64_t rank_, leader_;
  std::set<std::int64_t> packers_, readers_;
  Index end_ = 0;
};

/// Messages between nodes are MPI calls of the leader, each with a request.
void make_room(Plan& plan) {
  for (const NodeStage& stage : plan.node.stages) {
    plan.num_sends = std::max(plan.num_sends, stage.sends.size());
    plan.num_receives = std::max(plan.num_receives, stage.receives.size());
    for (const auto* messages : {&stage.sends, &stage.receives}) {
      for (const NodeMessage& message : *messages) {
        plan.node.largest_bytes = std::max(plan.node.largest_bytes, message.bytes);
      }
    }
  }
}

}  // namespace

Status combine_by_node(Comm& comm, Plan& plan, int min_senders) {
  // Either no rank has messages for another node, or no node has enough senders.
  std::array<std::uint64_t, 1> most{static_cast<std::uint64_t>(comm.node().size())};
  comm.all_reduce_max(most);
  const auto least = static_cast<std::uint64_t>(min_senders);
  if (min_senders > 0 && (most[0] < least || comm.size() == comm.node().size())) return {};
  ESKER_ASSIGN_OR_RETURN(const NodeItems items, NodeItems::gather(comm, plan));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    most[0] = static_cast<std::uint64_t>(items.most_senders());
    return Status();
  }));
  comm.all_reduce_max(most);
  if (most[0] < least) return {};
  return all_do(comm, "plan", [&] {
    items.combine(plan, comm.rank());
    return Status();
  });
}

Result<NodeItems> NodeItems::gather(Comm& comm, const Plan& plan) {
  Leaders leaders;
  ESKER_RETURN_IF_ERROR(exchange_leaders(comm, plan, leaders));
  std::vector<NodeItem> mine;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    mine = items_of(plan, comm.rank(), comm.node_ranks().front(), leaders);
    return Status();
  }));
  Gathered gathered;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(gathered, esker::gather(comm.node(), std::as_bytes(std::span(mine))));
    return {};
  }));
  std::optional<NodeItems> items;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    items.emplace(comm.node_ranks(), gathered.of_rank);
    return Status();
  }));
  return std::move(*items);
}

// A message within the node is in the lists of both of its ranks; the entry of the sender is kept.
NodeItems::NodeItems(std::span<const int> ranks, std::span<const std::span<const std::byte>> lists)
    : ranks_(ranks) {
  const std::int64_t leader = ranks.front();
  for (std::size_t r = 0; r < lists.size(); ++r) {
    const auto bytes = lists[r];
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(NodeItem)) {
      NodeItem item;
      std::memcpy(&item, bytes.data() + at, sizeof(item));
      const bool is_sent = item.from == ranks_[r];
      if (is_sent || item.from_leader != leader) items_.push_back(item);
    }
  }
  const auto place_of = [leader](const NodeItem& item) {
    const bool is_sent = item.from_leader == leader;
    return std::tuple(item.stage, !is_sent, is_sent ? item.to_leader : item.from_leader, item.from, item.to);
  };
  std::sort(items_.begin(), items_.end(),
            [&](const NodeItem& a, const NodeItem& b) { return place_of(a) < place_of(b); });
}

int NodeItems::most_senders() const {
  std::map<std::pair<std::uint64_t, std::int64_t>, std::set<std::int64_t>> senders;  // by (stage, other node)
  for (const NodeItem& item : items_) {
    const bool leaves = item.from_leader == ranks_.front() && item.to_leader != item.from_leader;
    if (leaves) senders[{item.stage, item.to_leader}].insert(item.from);
  }
  std::size_t most = 0;
  for (const auto& [where, ranks] : senders) most = std::max(most, ranks.size());
  return static_cast<int>(most);
}

void NodeItems::combine(Plan& plan, int rank) const {
  keep_relayed_apart(plan);
  plan.receive_bytes = 0;
  plan.node = {};
  plan.node.used = true;
  auto next = items_.begin();
  for_each_stage(plan, [&](std::uint64_t number, auto& sends, auto& receives) {
    StageMessages combined(plan.node.stages.emplace_back(), rank, ranks_.front());
    for (; next != items_.end() && next->stage == number; ++next) combined.add(*next, sends, receives);
    plan.node.bytes = std::max(plan.node.bytes, combined.finish());
    plan.node.is_busy = plan.node.is_busy || plan.node.stages.back().is_busy();
  });
  plan.node.share_bytes = div_up(plan.node.bytes, static_cast<Index>(ranks_.size()));
  make_room(plan);
}

}  // namespace esker
