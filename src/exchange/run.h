// Exchange: executes a plan - gather, send, receive, place - round by round, in buffers made once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "exchange/buffers.h"
#include "exchange/message_transport.h"
#include "plan/plan.h"

namespace esker {

/// Where the time of the exchanges on this rank went, and what they moved.
struct ExchangeStats {
  double pack_s = 0;       ///< gathering samples from patches, also straight into windows
  double wait_s = 0;       ///< waiting for messages
  double place_s = 0;      ///< placing received samples in windows, clearing padding
  double store_s = 0;      ///< in the caller's `store`; beside all else, if a thread calls it
  double store_cpu_s = 0;  ///< of that, at work
  Index stores = 0;        ///< calls of `store`
  Index store_sleeps = 0;  ///< in them: for something other than a processor
  Index sent_bytes = 0;    ///< in messages to other ranks
  Index placed_bytes = 0;  ///< straight in windows of near ranks
  Index messages = 0;      ///< sent to other ranks
};

/// What gets each of this rank's windows when all samples of the round are in it, and may change them.
using StoreWindow = std::function<Status(const Round&, std::span<std::byte>)>;

/// Collective: all ranks run their plans of the same exchange. Returns the first thing that went wrong on
/// this rank: an error of `store`, or memory that a copy could not get. Whatever it is, the exchange moves
/// the planned bytes to the end, so that no rank waits for another; `store` is not called again. `transport`
/// has been prepared for the plan. `in_thread`: `store` may be called by another thread, one call at a time,
/// before this returns; it is if that can save time.
Status run_exchange(const Plan& plan, const PatchesOfFields& patches, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, const StoreWindow& store,
                    bool in_thread);

}  // namespace esker
