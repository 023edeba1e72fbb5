// ExchangeBuffers: the send, receive and collective buffers that plans run in.
#pragma once

#include <memory>
#include <span>

#include "comm/comm.h"
#include "exchange/node_buffers.h"
#include "exchange/node_staging.h"
#include "plan/plan.h"

namespace esker {

namespace device {
class DeviceMemory;
struct Driver;
}  // namespace device

/// Memory for running plans in succession. It grows to the size of the largest plan, and is kept for others.
class ExchangeBuffers {
 public:
  ExchangeBuffers();
  ~ExchangeBuffers();
  /// Collective, with the ranks' plans of one exchange; errors are those of all ranks of a node. kOutOfMemory
  /// names the number of bytes that could not be allocated.
  Status reserve(Comm& comm, const Plan& plan);
  /// The same for a plan that shares no buffers, in memory that other ranks access. Collective; errors are
  /// those of all ranks, also kUnsupported.
  Status reserve_exposed(Comm& comm, const Plan& plan);
  /// Ends what reserve_exposed() began. Memory that remains exposed until the end of the program is not freed
  /// completely. Collective.
  void withdraw();
  /// The same on all ranks.
  [[nodiscard]] bool is_exposed() const { return is_exposed_; }
  /// Frees the memory that reserve() shared with other ranks. All ranks call it between two plans.
  void release_shared();
  /// Frees everything. Collective, between two plans.
  void release();
  [[nodiscard]] bool fit(const Plan& plan) const;
  /// Bytes reserved on this rank.
  [[nodiscard]] Index size_bytes() const;
  /// The same after the buffers of this plan are reserved, too.
  [[nodiscard]] Index size_bytes_with(const Plan& plan) const;
  /// Bytes allocated so far, including bytes that have been freed.
  [[nodiscard]] Index allocated_bytes() const { return allocated_; }
  /// Seconds spent in reserving so far.
  [[nodiscard]] double reserving_s() const { return reserving_s_; }

  /// The buffers of a plan that fits. A buffer is a collective buffer; buffers that near ranks fill are in
  /// `shared`.
  struct Parts {
    std::span<std::byte> send, receive, mask;
    std::span<std::byte> collective;     ///< with room to align the buffer
    std::span<std::byte> second_buffer;  ///< likewise, if the plan has two
    std::span<std::byte> compressed;     ///< if the plan compresses pieces
    RemoteMemory* remote = nullptr;      ///< if it is exposed: it holds all parts, see receive_offset()
    NodeBuffers* shared = nullptr;       ///< if the plan shares buffers
    Index first_use = 0;                 ///< the use count of a shared buffer in the first round
    NodeStaging* staging = nullptr;      ///< if messages are combined by node
  };
  [[nodiscard]] Parts parts(const Plan& plan);
  /// Offset of the receive buffer in the exposed memory, for a plan that shares no buffers.
  [[nodiscard]] static Index receive_offset(const Plan& plan) {
    return with_room_to_align(plan.buffer_bytes);
  }
  /// Offset of its send buffer.
  [[nodiscard]] static Index send_offset(const Plan& plan) {
    return receive_offset(plan) + plan.receive_bytes;
  }
  /// Memory of devices, for plans whose patches are in it; null: none was asked for.
  [[nodiscard]] device::DeviceMemory* device() const { return device_.get(); }
  /// The same, made if it is not yet, with the driver of the process, Driver::find(). May throw.
  device::DeviceMemory& device_of(const device::Driver& driver);
  /// The part of these buffers, or of those of a rank of the node, that has this address, as long as they are
  /// not reserved again or released; empty: none.
  [[nodiscard]] std::span<std::byte> window_of(const std::byte* address) const;

  /// Counts the rounds of a plan that shares buffers, after it has run.
  void count_uses(const Plan& plan) { uses_ += static_cast<Index>(plan.rounds.size()); }

 private:
  [[nodiscard]] Status reserve_all(Comm& comm, const Plan& plan);
  [[nodiscard]] Status expose_all(Comm& comm, const Plan& plan);
  [[nodiscard]] Status reserve_shared(Comm& comm, const Plan& plan);
  [[nodiscard]] Status reserve_staging(Comm& comm, const Plan& plan);
  [[nodiscard]] Status reserve_private(const Plan& plan);
  void unpin();

  std::unique_ptr<std::byte[]> data_;
  Index size_ = 0;
  Index allocated_ = 0;
  double reserving_s_ = 0;
  std::unique_ptr<NodeBuffers> shared_;
  Index uses_ = 0;  ///< number of uses of shared buffers
  std::unique_ptr<NodeStaging> staging_;
  Index staging_share_bytes_ = 0;  ///< of this rank
  std::unique_ptr<RemoteMemory> remote_;
  bool is_exposed_ = false;                       ///< the same on all ranks
  std::unique_ptr<device::DeviceMemory> device_;  // ends before the memory that it has pinned
};

}  // namespace esker
