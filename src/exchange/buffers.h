// ExchangeBuffers: the memory that plans run in.
#pragma once

#include <memory>
#include <span>

#include "comm/comm.h"
#include "exchange/node_mail.h"
#include "exchange/node_windows.h"
#include "plan/plan.h"

namespace esker {

/// Memory for running plans, one after the other: as much as the largest of them needs, made once.
class ExchangeBuffers {
 public:
  /// Collective, with the ranks' plans of one exchange; errors are those of all ranks of a node. kOutOfMemory
  /// names the bytes that could not be had.
  Status reserve(Comm& comm, const Plan& plan);
  /// The same for a plan that shares no windows, in memory that other ranks reach. Collective; errors are
  /// those of all ranks, also kUnsupported.
  Status reserve_exposed(Comm& comm, const Plan& plan);
  /// Ends what reserve_exposed() began: memory that is exposed to the end of the program is not all freed.
  /// Collective.
  void withdraw();
  /// The same on all ranks.
  [[nodiscard]] bool is_exposed() const { return is_exposed_; }
  /// Gives back what reserve() shared with other ranks. All ranks, between two plans.
  void release_shared();
  /// Gives back everything. Collective, between two plans.
  void release();
  [[nodiscard]] bool fit(const Plan& plan) const;
  /// What is reserved on this rank.
  [[nodiscard]] Index size_bytes() const;
  /// What has been allocated so far, also what has been freed again.
  [[nodiscard]] Index allocated_bytes() const { return allocated_; }

  /// The parts that a plan uses, which fit. Windows that near ranks fill are in `shared`.
  struct Parts {
    std::span<std::byte> send, receive, window, marks;
    std::span<std::byte> second_window;  ///< if the plan has two
    RemoteMemory* remote = nullptr;      ///< if it is exposed: all parts, see receive_offset()
    NodeWindows* shared = nullptr;       ///< if the plan shares windows
    Index first_use = 0;                 ///< of a shared window, in the first round
    NodeMail* mail = nullptr;            ///< if messages are combined by node
  };
  [[nodiscard]] Parts parts(const Plan& plan);
  /// Where the receive buffer of a plan that shares no windows begins in what is exposed.
  [[nodiscard]] static Index receive_offset(const Plan& plan) { return plan.window_bytes; }
  /// And its send buffer.
  [[nodiscard]] static Index send_offset(const Plan& plan) { return plan.window_bytes + plan.receive_bytes; }
  /// A plan that shares windows has been run: its rounds are counted.
  void count_uses(const Plan& plan) { uses_ += static_cast<Index>(plan.rounds.size()); }

 private:
  [[nodiscard]] Status reserve_shared(Comm& comm, const Plan& plan);
  [[nodiscard]] Status reserve_mail(Comm& comm, const Plan& plan);
  [[nodiscard]] Status reserve_private(const Plan& plan);

  std::unique_ptr<std::byte[]> data_;
  Index size_ = 0;
  Index allocated_ = 0;
  std::unique_ptr<NodeWindows> shared_;
  Index uses_ = 0;  ///< of shared windows
  std::unique_ptr<NodeMail> mail_;
  Index mail_share_bytes_ = 0;  ///< of this rank
  std::unique_ptr<RemoteMemory> remote_;
  bool is_exposed_ = false;  ///< the same on all ranks
};

}  // namespace esker
