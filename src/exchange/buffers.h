// ExchangeBuffers: the memory that plans run in.
#pragma once

#include <memory>
#include <span>

#include "comm/comm.h"
#include "exchange/node_windows.h"
#include "exchange/plan.h"

namespace esker {

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

}  // namespace esker
