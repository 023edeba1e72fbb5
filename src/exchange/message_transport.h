// MessageTransport: how the messages of a hop get from rank to rank.
//
// A round has two hops, to relays and to aggregators; each of them goes
//
//   begin(hop) -> per message to send: pack to target(), send() -> end_sends()
//     -> next_received() until it is -1, each message at received() -> finish()
//
// and the next one begins when it is finished. Bodies are in exchange/transports; prepare() allocates all
// that they need (requests, types, counts) while planning, so that nothing here fails or throws. A rank whose
// own work failed calls the same functions: whatever stands in its buffers is moved.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/writer.hpp"
#include "exchange/buffers.h"
#include "exchange/patch_list.h"
#include "plan/plan.h"

namespace esker {

/// The messages of this rank in one hop; they are part of its plan.
struct Hop {
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

  /// Makes ready for running `plan`, which outlives it. Collective, with the ranks' plans of one exchange;
  /// errors are those of all ranks. For plan.num_sends and num_receives there is room in `comm`.
  virtual Status prepare(Comm& comm, const Plan& plan) = 0;

  /// All ranks take part in every hop, also those that have no messages in it: none works ahead.
  [[nodiscard]] virtual bool keeps_step() const { return false; }

  /// Needs memory that other ranks put into or get from, see ExchangeBuffers::reserve_exposed.
  [[nodiscard]] virtual bool is_one_sided() const { return false; }

  /// Messages are packed to target(); else own samples are taken from the patches, see take().
  [[nodiscard]] virtual bool packs() const { return true; }

  /// Where the samples of the runs that follow stand: after prepare(), and before each run in which patches
  /// or memory may be others. Local; may throw, and is called again then before there is a run.
  virtual void take(const Plan&, const PatchesOfFields&, const ExchangeBuffers::Parts&) {}

  /// What follows is a run of the plan, in this memory.
  void begin_run(const ExchangeBuffers::Parts& memory) { memory_ = memory; }

  virtual void begin(const Hop& hop) = 0;
  /// Where samples of a message to be sent are packed. Relayed ones stand in the send buffer already.
  [[nodiscard]] virtual std::span<std::byte> target(const Message& message) const {
    return memory_.send.subspan(static_cast<std::size_t>(message.offset_bytes),
                                static_cast<std::size_t>(message.bytes));
  }
  /// The message is packed.
  virtual void send(const Message& message) = 0;
  /// All are.
  virtual void end_sends() {}
  /// Position in hop.receives of a message that has arrived and was not returned before; waits for one; -1
  /// when there is none left.
  [[nodiscard]] virtual int next_received() = 0;
  /// Where a message that has arrived stands, until next_received() is -1.
  [[nodiscard]] virtual const std::byte* received(const Message& message) const {
    return memory_.receive.data() + message.offset_bytes;
  }
  /// Returns when this rank's memory is its own again.
  virtual void finish() = 0;

 protected:
  [[nodiscard]] const ExchangeBuffers::Parts& memory() const { return memory_; }

 private:
  ExchangeBuffers::Parts memory_;
};

}  // namespace esker
