// MessageTransport: moves the messages of a relay stage from rank to rank.
//
// A round has two relay stages: to relays and to aggregators. Each of them runs
//
//   begin(stage) -> per message to send: pack to target(), send() -> end_sends()
//     -> next_received() until it is -1, each message at received() -> finish()
//
// The next stage begins when this one is finished. Implementations are in exchange/transports. prepare()
// allocates all that they need (requests, types, counts) while planning, so that no other function fails or
// throws. A rank whose own work failed calls the same functions and sends the bytes that its buffers contain.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/patch.hpp"
#include "exchange/buffers.h"
#include "exchange/patch_list.h"
#include "plan/plan.h"

namespace esker {

/// The messages of this rank in one stage, which are part of its plan.
struct Stage {
  std::size_t number = 0;  ///< counted over rounds: 2 r to relays, 2 r + 1 to aggregators
  const std::vector<Message>* sends = nullptr;
  const std::vector<Message>* receives = nullptr;

  [[nodiscard]] bool is_last() const { return number % 2 == 1; }
};

/// [field of the plan] -> this rank's patches of it, in the order of its boxes.
using PatchesOfFields = std::vector<PatchList>;

class MessageTransport {
 public:
  virtual ~MessageTransport() = default;

  /// Prepares for running `plan`, which outlives the transport. Collective, with the ranks' plans of one
  /// exchange; errors are those of all ranks. `comm` has room for plan.num_sends and plan.num_receives
  /// transfers.
  virtual Status prepare(Comm& comm, const Plan& plan) = 0;

  /// Whether all ranks take part in every stage, also ranks without messages in it, so that no rank runs
  /// ahead.
  [[nodiscard]] virtual bool keeps_step() const { return false; }

  /// Whether it needs memory that other ranks put into or get from, see ExchangeBuffers::reserve_exposed.
  [[nodiscard]] virtual bool is_one_sided() const { return false; }

  /// Whether messages are packed to target(). Otherwise samples are taken directly from the patches, see
  /// take().
  [[nodiscard]] virtual bool packs() const { return true; }

  /// Sets the addresses of the samples for the following runs. Called after prepare(), and before each run in
  /// which patches or memory may have changed. Local; if it throws, it is called again before the next run.
  virtual void take(const Plan&, const PatchesOfFields&, const ExchangeBuffers::Parts&) {}

  /// Begins a run of the plan in this memory.
  void begin_run(const ExchangeBuffers::Parts& memory) { memory_ = memory; }

  virtual void begin(const Stage& stage) = 0;
  /// The buffer for packing a message to be sent. Relayed samples are already in the send buffer.
  [[nodiscard]] virtual std::span<std::byte> target(const Message& message) const {
    return memory_.send.subspan(static_cast<std::size_t>(message.offset_bytes),
                                static_cast<std::size_t>(message.bytes));
  }
  /// The message is packed.
  virtual void send(const Message& message) = 0;
  /// All messages are packed.
  virtual void end_sends() {}
  /// Index in stage.receives of a message that has arrived and was not returned before. Waits for one; -1
  /// when all have been returned.
  [[nodiscard]] virtual int next_received() = 0;
  /// The bytes of a message that has arrived, valid until next_received() is -1.
  [[nodiscard]] virtual const std::byte* received(const Message& message) const {
    return memory_.receive.data() + message.offset_bytes;
  }
  /// Returns when no other rank accesses this rank's memory any more.
  virtual void finish() = 0;

 protected:
  [[nodiscard]] const ExchangeBuffers::Parts& memory() const { return memory_; }

 private:
  ExchangeBuffers::Parts memory_;
};

}  // namespace esker
