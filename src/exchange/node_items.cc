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
#include "plan/hops.h"

namespace esker {
namespace {

using Leaders = std::map<int, std::int64_t>;  // by rank

/// Finds the leaders of the ranks that this rank has messages for or from. Collective; errors are those of
/// all ranks.
Status exchange_leaders(Comm& comm, const Plan& plan, Leaders& leaders) {
  const std::int64_t mine = comm.node_ranks().front();
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for_each_hop(plan, [&](std::uint64_t, const auto& sends, const auto& receives) {
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

std::vector<MailItem> items_of(const Plan& plan, std::int64_t rank, std::int64_t leader,
                               const Leaders& leaders) {
  std::vector<MailItem> items;
  for_each_hop(plan, [&](std::uint64_t hop, const auto& sends, const auto& receives) {
    for (const Message& message : sends) {
      items.push_back({hop, rank, message.peer, leader, leaders.at(message.peer), message.bytes});
    }
    for (const Message& message : receives) {
      const std::int64_t of_peer = leaders.at(message.peer);
      items.push_back({hop, message.peer, rank, of_peer, leader, message.bytes});
    }
  });
  return items;
}

/// The message for or from `peer`. `messages` are sorted by ascending peers.
Message& message_with(std::vector<Message>& messages, std::int64_t peer) {
  return *std::lower_bound(messages.begin(), messages.end(), peer,
                           [](const Message& message, std::int64_t p) { return message.peer < p; });
}

/// Assigns the items of one hop their offsets, and sets them in the messages of `rank`.
class HopMail {
 public:
  HopMail(MailHop& hop, int rank, std::int64_t leader) : hop_(hop), rank_(rank), leader_(leader) {}

  void add(const MailItem& item, std::vector<Message>& sends, std::vector<Message>& receives) {
    const bool from_here = item.from_leader == leader_, to_here = item.to_leader == leader_;
    if (from_here) packers_.insert(item.from);
    if (to_here) readers_.insert(item.to);
    if (item.from == rank_) message_with(sends, item.to).offset_bytes = end_;
    if (item.to == rank_) message_with(receives, item.from).offset_bytes = end_;
    if (rank_ == leader_ && !(from_here && to_here)) {
      append(from_here ? hop_.sends : hop_.receives, from_here ? item.to_leader : item.from_leader, item);
    }
    end_ += item.bytes;
  }

  /// Returns the end of the last item.
  Index finish() {
    hop_.num_packers = static_cast<int>(packers_.size());
    hop_.num_readers = static_cast<int>(readers_.size());
    return end_;
  }

 private:
  void append(std::vector<NodeMessage>& messages, std::int64_t other, const MailItem& item) {
    if (messages.empty() || messages.back().leader != other) {
      messages.push_back({static_cast<int>(other), end_, 0});
    }
    messages.back().bytes += item.bytes;
  }

  MailHop& hop_;
  std::int64_t rank_, leader_;
  std::set<std::int64_t> packers_, readers_;
  Index end_ = 0;
};

/// Messages between nodes are MPI calls of the leader, each with a request.
void make_room(Plan& plan) {
  for (const MailHop& hop : plan.mail.hops) {
    plan.num_sends = std::max(plan.num_sends, hop.sends.size());
    plan.num_receives = std::max(plan.num_receives, hop.receives.size());
    for (const auto* messages : {&hop.sends, &hop.receives}) {
      for (const NodeMessage& message : *messages) {
        plan.mail.largest_bytes = std::max(plan.mail.largest_bytes, message.bytes);
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
  std::vector<MailItem> mine;
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
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(MailItem)) {
      MailItem item;
      std::memcpy(&item, bytes.data() + at, sizeof(item));
      const bool is_sent = item.from == ranks_[r];
      if (is_sent || item.from_leader != leader) items_.push_back(item);
    }
  }
  const auto place_of = [leader](const MailItem& item) {
    const bool is_sent = item.from_leader == leader;
    return std::tuple(item.hop, !is_sent, is_sent ? item.to_leader : item.from_leader, item.from, item.to);
  };
  std::sort(items_.begin(), items_.end(),
            [&](const MailItem& a, const MailItem& b) { return place_of(a) < place_of(b); });
}

int NodeItems::most_senders() const {
  std::map<std::pair<std::uint64_t, std::int64_t>, std::set<std::int64_t>> senders;  // by (hop, other node)
  for (const MailItem& item : items_) {
    const bool leaves = item.from_leader == ranks_.front() && item.to_leader != item.from_leader;
    if (leaves) senders[{item.hop, item.to_leader}].insert(item.from);
  }
  std::size_t most = 0;
  for (const auto& [where, ranks] : senders) most = std::max(most, ranks.size());
  return static_cast<int>(most);
}

void NodeItems::combine(Plan& plan, int rank) const {
  keep_relayed_apart(plan);
  plan.receive_bytes = 0;
  plan.mail = {};
  plan.mail.used = true;
  auto next = items_.begin();
  for_each_hop(plan, [&](std::uint64_t number, auto& sends, auto& receives) {
    HopMail mail(plan.mail.hops.emplace_back(), rank, ranks_.front());
    for (; next != items_.end() && next->hop == number; ++next) mail.add(*next, sends, receives);
    plan.mail.bytes = std::max(plan.mail.bytes, mail.finish());
    plan.mail.is_busy = plan.mail.is_busy || plan.mail.hops.back().is_busy();
  });
  plan.mail.share_bytes = div_up(plan.mail.bytes, static_cast<Index>(ranks_.size()));
  make_room(plan);
}

}  // namespace esker
