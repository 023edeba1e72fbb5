// NodeBuffers: the collective buffers of a node's ranks, in memory that all of them share.
//
// Each rank has a few buffers, its slots, and uses them cyclically. It offers an empty buffer to the ranks
// that have samples for it. Each of these visitors enters, places its samples at their final position, once,
// and leaves. When all have left, the buffer is complete. In a delivery (exchange/delivery.h) a rank offers a
// full buffer, and visitors take samples from it. No rank polls, and ranks that do not exchange samples do
// not wait for each other.
//
// Uses are counted: `use` is 0 for the first buffer of a rank and grows by one with each buffer, offered or
// not. All ranks of a node count alike. Use u is of slot u % num_slots().
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/call_watch.h"
#include "comm/shared_condition.h"
#include "comm/shared_memory.h"

namespace esker {

class NodeBuffers {
 public:
  static constexpr int kMaxSlots = 8;

  /// Allocates `bytes` for this rank's buffers; the number may differ between ranks. Collective over
  /// comm.node(); errors are those of all its ranks, see SharedMemory.
  static Result<std::unique_ptr<NodeBuffers>> create(Comm& comm, Index bytes);
  /// The memory that `num_slots` buffers of at least `buffer_bytes` need.
  static Index bytes_for(int num_slots, Index buffer_bytes);

  /// Divides the memory of each rank into this many buffers, at most kMaxSlots. All ranks, between two uses.
  void set_num_slots(int num_slots) { num_slots_ = num_slots; }
  [[nodiscard]] int num_slots() const { return num_slots_; }
  /// The bytes of this rank for buffers.
  [[nodiscard]] Index size_bytes() const {
    return static_cast<Index>(bytes_[static_cast<std::size_t>(own_)]);
  }

  /// The ranks of the node, and all memory of one of them.
  [[nodiscard]] std::size_t num_ranks() const { return ranks_.size(); }
  [[nodiscard]] std::span<std::byte> memory_of(std::size_t number) const {
    return memory_->of(static_cast<int>(number));
  }

  /// This rank's buffer.
  [[nodiscard]] std::span<std::byte> buffer(Index use) const { return buffer_of(own_, use); }
  /// Lets this many other ranks enter the buffer, from byte `begin` on.
  void offer(Index use, int visitors, std::size_t begin = 0);
  /// Whether all visitors have left, or none was let in. With `wait` it returns when they have.
  [[nodiscard]] bool have_left(Index use, bool wait);

  /// The buffer of rank `peer` of `comm`, on this node, if it is offered. With `wait` it waits for the offer.
  [[nodiscard]] std::span<std::byte> enter(int peer, Index use, bool wait);
  void leave(int peer, Index use);

  /// Returns when all ranks of the node have called it. They sleep meanwhile, where MPI would spin and keep
  /// other ranks from the core. Collective over the node.
  void meet();

 private:
  struct Slot;     // in shared memory
  struct Barrier;  // in the memory of the node's first rank
  NodeBuffers() = default;
  void wait_for_change(SharedCondition& condition) const;
  [[nodiscard]] int number_of(int peer) const;
  [[nodiscard]] Slot* slots_of(int number) const;
  [[nodiscard]] Slot& slot_of(int number, Index use) const;
  [[nodiscard]] Barrier& barrier() const;
  [[nodiscard]] std::span<std::byte> buffer_of(int number, Index use) const;

  std::unique_ptr<SharedMemory> memory_;
  std::vector<int> ranks_;            // of the node, ascending, by their numbers in the Comm
  std::vector<std::uint64_t> bytes_;  // for buffers, per rank of the node
  int num_slots_ = 1;
  int own_ = 0;  // this rank's number on the node
  Index num_barriers_ = 0;
  CallWatch* watch_ = nullptr;
};

}  // namespace esker
