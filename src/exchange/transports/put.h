// One contiguous put per message, directly into the receive buffer of the other rank.
//
// The source is the send buffer, where the message was packed, or the patches themselves (PutSources).
//
// While planning, each receiver sends the offsets of its messages to their senders. In a stage, either the
// ranks that have messages for each other synchronize by pairs (ready and done, see RemoteMemory), or all
// ranks, or those of a group, by fences.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "exchange/message_transport.h"
#include "exchange/transports/busy_stages.h"
#include "exchange/transports/put_sources.h"
#include "exchange/transports/rank_group.h"
#include "exchange/transports/remote_places.h"
#include "plan/policy.h"

namespace esker {

class PutMessages final : public MessageTransport {
 public:
  /// kPairs or kFence; `packs`: from the send buffer, else from the patches by derived datatypes. `group`:
  /// with kFence, the ranks that have messages for each other, see InPartitions; null: all.
  PutMessages(Synchronization synchronization, bool packs, std::shared_ptr<const RankGroup> group)
      : synchronization_(synchronization), group_(std::move(group)) {
    if (!packs) sources_.emplace();
  }

  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool is_one_sided() const override { return true; }
  [[nodiscard]] bool packs() const override { return !sources_; }
  void take(const Plan& plan, const PatchesOfFields& patches, const ExchangeBuffers::Parts& parts) override {
    if (sources_) sources_->take(plan, patches, parts.send.data());
  }
  [[nodiscard]] bool keeps_step() const override {
    return synchronization_ == Synchronization::kFence && busy_.any();
  }
  void begin(const Stage& stage) override;
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  void finish() override {}

 private:
  void fence();

  Synchronization synchronization_;
  std::shared_ptr<const RankGroup> group_;
  std::optional<PutSources> sources_;  // if nothing is packed
  BusyStages busy_;
  RemotePlaces places_;
  Stage stage_;
  bool arrived_ = false;  // whether all messages of the stage have arrived
  std::size_t next_ = 0;  // the next message to return
};

}  // namespace esker
