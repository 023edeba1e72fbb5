// One contiguous put per message, straight into the receive buffer of the other rank.
//
// It is taken from the send buffer, where the message was packed, or from the patches themselves
// (PutSources).
//
// While planning, each receiver tells its senders where their messages begin. In a hop, either the ranks that
// have messages for each other keep in step (ready and done, see RemoteMemory), or all ranks by fences.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "comm/remote_memory.h"
#include "exchange/message_transport.h"
#include "exchange/transports/busy_hops.h"
#include "exchange/transports/put_sources.h"

namespace esker {

enum class PutSync { kPairs, kFence };
enum class PutFrom { kBuffer, kPatches };

class PutMessages final : public MessageTransport {
 public:
  PutMessages(PutSync sync, PutFrom from) : sync_(sync) {
    if (from == PutFrom::kPatches) sources_.emplace();
  }

  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool puts() const override { return true; }
  [[nodiscard]] bool packs() const override { return !sources_; }
  void take(const Plan& plan, const PatchesOfFields& patches, const ExchangeBuffers::Parts& parts) override {
    if (sources_) sources_->take(plan, patches, parts.send.data());
  }
  [[nodiscard]] bool keeps_step() const override { return sync_ == PutSync::kFence && busy_.any(); }
  void begin(const Hop& hop) override;
  void send(const Message&) override {}
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  void finish() override {}

 private:
  /// What this rank knows of the others in one hop.
  struct HopPeers {
    std::vector<std::size_t> offsets;  ///< where each message to be sent begins in its target's memory
    std::vector<int> targets, sources;
  };
  using Offsets = std::map<int, std::vector<std::uint64_t>>;  // by rank; in the order of hops

  Status exchange_offsets(Comm& comm, const Plan& plan, Offsets& of_targets);
  void make_peers(const Plan& plan, const Offsets& of_targets);

  PutSync sync_;
  std::optional<PutSources> sources_;  // with kPatches
  BusyHops busy_;
  std::vector<HopPeers> peers_;  // [hop]
  Hop hop_;
  bool arrived_ = false;  // all messages of the hop
  std::size_t next_ = 0;  // message to be returned
};

}  // namespace esker
