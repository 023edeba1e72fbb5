// Exchange: executes a plan - gather, send, receive, place - round by round, in buffers made once.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/writer.hpp"
#include "exchange/node_windows.h"
#include "exchange/plan.h"

namespace esker {

/// Where the time of the exchanges on this rank went, and what they moved.
struct ExchangeStats {
  double pack_s = 0;       ///< gathering samples from patches, also straight into windows
  double wait_s = 0;       ///< waiting for messages
  double place_s = 0;      ///< placing received samples in windows, clearing padding
  double store_s = 0;      ///< in the caller's `store`
  Index sent_bytes = 0;    ///< in messages to other ranks
  Index placed_bytes = 0;  ///< straight in windows of near ranks
  Index messages = 0;      ///< sent to other ranks
};

/// Memory for running plans, one after the other: as much as the largest of them needs, made once.
class ExchangeBuffers {
 public:
  /// Collective, with the ranks' plans of one exchange; errors are those of all ranks of a node. kOutOfMemory
  /// names the bytes that could not be had.
  Status reserve(Comm& comm, const Plan& plan);
  [[nodiscard]] bool fit(const Plan& plan) const;
  /// What is reserved on this rank.
  [[nodiscard]] Index size_bytes() const;

  /// The parts that a plan uses, which fit. The windows are in `window`, or shared.
  struct Parts {
    std::span<std::byte> send, receive, window, marks;
    NodeWindows* shared = nullptr;  ///< if the plan shares windows
    Index first_use = 0;            ///< of a shared window, in the first round
  };
  [[nodiscard]] Parts parts(const Plan& plan);
  /// A plan that shares windows has been run: its rounds are counted.
  void count_uses(const Plan& plan) { uses_ += static_cast<Index>(plan.rounds.size()); }

 private:
  std::unique_ptr<std::byte[]> data_;
  Index size_ = 0;
  std::unique_ptr<NodeWindows> shared_;
  Index uses_ = 0;  ///< of shared windows
};

/// What gets each of this rank's windows when all samples of the round are in it.
using StoreWindow = std::function<Status(const Round&, std::span<const std::byte>)>;

/// Collective: all ranks run their plans of the same exchange. `patches[f]` are this rank's patches of field
/// f of the plan, in the order of its boxes. Returns the first thing that went wrong on this rank: an error
/// of `store`, or memory that a copy could not get. Whatever it is, the exchange moves the planned bytes to
/// the end, so that no rank waits for another; `store` is not called again. For plan.num_sends and
/// num_receives there is room in `comm`.
Status run_exchange(Comm& comm, const Plan& plan, const std::vector<std::vector<Patch>>& patches,
                    ExchangeBuffers& buffers, ExchangeStats& stats, const StoreWindow& store);

}  // namespace esker
