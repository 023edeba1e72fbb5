#include "exchange/transports/remote_places.h"

#include <map>
#include <span>

#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/buffers.h"
#include "plan/relay_stages.h"

namespace esker {
namespace {

using Offsets = std::map<int, std::vector<std::uint64_t>>;  // by rank; in the order of stages

/// Calls visit(stage, messages whose offsets this rank sends, messages whose offsets it receives).
template <class Visit>
void for_each_announced(const Plan& plan, RemotePlaces::AnnouncedBy announced_by, const Visit& visit) {
  for_each_stage(plan, [&](std::size_t number, const auto& sends, const auto& receives) {
    if (announced_by == RemotePlaces::AnnouncedBy::kReceivers) {
      visit(number, receives, sends);
    } else {
      visit(number, sends, receives);
    }
  });
}

}  // namespace

Status RemotePlaces::find(Comm& comm, const Plan& plan, AnnouncedBy announced_by) {
  const auto base = static_cast<std::uint64_t>(announced_by == AnnouncedBy::kReceivers
                                                   ? ExchangeBuffers::receive_offset(plan)
                                                   : ExchangeBuffers::send_offset(plan));
  Offsets to_send, to_receive;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for_each_announced(plan, announced_by, [&](std::size_t, const auto& own, const auto& others) {
      for (const Message& message : own) {
        to_send[message.peer].push_back(base + static_cast<std::uint64_t>(message.offset_bytes));
      }
      for (const Message& message : others) to_receive[message.peer].push_back(0);
    });
    comm.reserve_transfers(to_send.size(), to_receive.size());
    return Status();
  }));
  for (auto& [peer, offsets] : to_receive)
    comm.start_receive(std::as_writable_bytes(std::span(offsets)), peer);
  for (const auto& [peer, offsets] : to_send) comm.start_send(std::as_bytes(std::span(offsets)), peer);
  comm.finish();
  return all_do(comm, "plan", [&] {
    stages_.clear();
    std::map<int, std::size_t> used;  // how many offsets of each rank have been used
    for_each_announced(plan, announced_by, [&](std::size_t, const auto& own, const auto& others) {
      Stage& stage = stages_.emplace_back();
      for (const Message& message : own) stage.notified.push_back(message.peer);
      for (const Message& message : others) {
        stage.peers.push_back(message.peer);
        stage.offsets.push_back(to_receive.at(message.peer)[used[message.peer]++]);
      }
    });
    return Status();
  });
}

}  // namespace esker
