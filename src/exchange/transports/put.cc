#include "exchange/transports/put.h"

#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/hops.h"

namespace esker {
Status PutMessages::prepare(Comm& comm, const Plan& plan) {
  Offsets of_targets;
  ESKER_RETURN_IF_ERROR(exchange_offsets(comm, plan, of_targets));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    make_peers(plan, of_targets);
    if (sources_) sources_->prepare(comm, plan);
    return Status();
  }));
  return sync_ == PutSync::kFence ? busy_.find(comm, plan) : Status();
}

/// Tells every sender where in this rank's memory its messages begin, and hears the same of the targets.
Status PutMessages::exchange_offsets(Comm& comm, const Plan& plan, Offsets& of_targets) {
  Offsets of_sources;
  const auto base = static_cast<std::uint64_t>(ExchangeBuffers::receive_offset(plan));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for_each_hop(plan, [&](std::size_t, const auto& sends, const auto& receives) {
      for (const Message& message : sends) of_targets[message.peer].push_back(0);
      for (const Message& message : receives) {
        of_sources[message.peer].push_back(base + static_cast<std::uint64_t>(message.offset_bytes));
      }
    });
    comm.reserve_transfers(of_sources.size(), of_targets.size());
    return Status();
  }));
  for (auto& [target, offsets] : of_targets) {
    comm.start_receive(std::as_writable_bytes(std::span(offsets)), target);
  }
  for (const auto& [source, offsets] : of_sources) {
    comm.start_send(std::as_bytes(std::span(offsets)), source);
  }
  comm.finish();
  return {};
}

void PutMessages::make_peers(const Plan& plan, const Offsets& of_targets) {
  peers_.clear();
  std::map<int, std::size_t> used;  // of the offsets of a target
  for_each_hop(plan, [&](std::size_t, const auto& sends, const auto& receives) {
    HopPeers& hop = peers_.emplace_back();
    for (const Message& message : sends) {
      hop.offsets.push_back(of_targets.at(message.peer)[used[message.peer]++]);
      hop.targets.push_back(message.peer);
    }
    for (const Message& message : receives) hop.sources.push_back(message.peer);
  });
}

void PutMessages::begin(const Hop& hop) {
  hop_ = hop;
  next_ = 0;
  arrived_ = false;
  if (sync_ == PutSync::kPairs) {
    if (!hop.receives->empty()) memory().remote->post(peers_[hop.number].sources);
  } else if (busy_.is_busy(hop.number)) {
    memory().remote->fence();
  }
}

void PutMessages::end_sends() {
  if (hop_.sends->empty()) return;
  RemoteMemory& remote = *memory().remote;
  const HopPeers& peers = peers_[hop_.number];
  if (sync_ == PutSync::kPairs) remote.start(peers.targets);
  for (std::size_t m = 0; m < hop_.sends->size(); ++m) {
    const Message& message = (*hop_.sends)[m];
    if (sources_) {
      const auto [source, base] = sources_->of(hop_.number, m);
      remote.put(*source, base, message.peer, peers.offsets[m]);
    } else {
      remote.put(target(message), message.peer, peers.offsets[m]);
    }
  }
  if (sync_ == PutSync::kPairs) remote.complete();
}

int PutMessages::next_received() {
  if (!arrived_) {
    if (sync_ == PutSync::kPairs) {
      if (!hop_.receives->empty()) memory().remote->wait();
    } else if (busy_.is_busy(hop_.number)) {
      memory().remote->fence();
    }
    arrived_ = true;
  }
  return next_ < hop_.receives->size() ? static_cast<int>(next_++) : -1;
}

}  // namespace esker
