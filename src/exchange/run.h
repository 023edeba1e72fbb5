// Exchange: executes a plan round by round (gather, send, receive, place) in buffers allocated once.
#pragma once

#include <span>
#include <vector>

#include "base/spans.h"
#include "exchange/buffers.h"
#include "exchange/message_transport.h"
#include "exchange/patch_source.h"
#include "exchange/store_cost.h"
#include "plan/plan.h"

namespace esker {

/// The times of the exchanges on this rank, and the amounts that they moved.
struct ExchangeStats {
  Seconds pack_s;          ///< gathering samples from patches, also directly into buffers
  Seconds wait_s;          ///< waiting for messages, and for samples of near ranks
  Seconds idle_s;          ///< waiting for near ranks that store: for a free buffer of theirs, and at the end
  Seconds place_s;         ///< placing received samples in buffers, clearing padding
  Seconds store_s;         ///< in sink.store(); overlaps the rest if a thread calls it
  StoreCost stores;        ///< its calls that had bytes to store
  Index sent_bytes = 0;    ///< in messages to other ranks
  Index placed_bytes = 0;  ///< directly into buffers of near ranks
  Index messages = 0;      ///< sent to other ranks
  Index device_bytes = 0;  ///< gathered from memory of devices
};

/// Stores the buffers of a rank.
class BufferSink {
 public:
  /// Receives each of this rank's buffers when all samples of the round are in it; it may change them. Called
  /// once per round, in order; with no bytes where this rank stores nothing, or after an error.
  virtual Status store(const Round& round, std::span<std::byte> bytes) = 0;
  /// The offset in a file at which the buffer of a round, which has bytes, will begin. Pure; called by
  /// several threads.
  [[nodiscard]] virtual Index file_offset(const Round& round) const = 0;

 protected:
  ~BufferSink() = default;
};

/// Collective: all ranks run their plans of the same exchange. Returns the first error on this rank: an error
/// of `sink`, or memory that a copy could not allocate. After an error the exchange still moves the planned
/// bytes, so that no rank waits for another. `transport` has been prepared for the plan. `in_thread`: another
/// thread may call sink.store(), one call at a time, before this function returns; it does so if that can
/// save time. `source`: makes the samples of some fields; null: all are copied. `fill`: a value of each
/// field, which pieces get where no rank has samples; empty: zeros.
Status run_exchange(const Plan& plan, const PatchesOfFields& patches, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, BufferSink& sink, bool in_thread,
                    PatchSource* source = nullptr, std::span<const std::vector<std::byte>> fill = {});

}  // namespace esker
