// NodeWindows: the windows of a node's ranks, in memory that all of them fill.
//
// Each rank has `num_slots` windows and uses them in turn. It offers an empty one to those ranks that have
// samples for it; each of them places its samples at their final position, once, and says so; when all have,
// the window is complete. Nobody polls, and ranks that have nothing for each other do not wait for each
// other.
//
// Uses are counted: `use` is 0 for the first window that a rank offers, and one more for each that follows,
// offered or not; all ranks of a node count alike. Use u is of slot u % num_slots.
#pragma once

#include <pthread.h>

#include <memory>
#include <span>
#include <vector>

#include "comm/shared_memory.h"

namespace esker {

class NodeWindows {
 public:
  /// `num_slots` windows of `window_bytes`, which may be another number on each rank. Collective over
  /// comm.node(), with the same num_slots; errors are those of all its ranks, see SharedMemory.
  static Result<std::unique_ptr<NodeWindows>> create(Comm& comm, Index window_bytes, int num_slots);

  [[nodiscard]] int num_slots() const { return num_slots_; }
  [[nodiscard]] Index window_bytes() const { return window_bytes_[static_cast<std::size_t>(own_)]; }

  /// This rank's window.
  [[nodiscard]] std::span<std::byte> window(Index use) const { return window_of(own_, use); }
  /// It is empty: others may place.
  void offer(Index use);
  /// Whether `placers` ranks have placed since it was offered; `wait`: returns when they have.
  [[nodiscard]] bool is_filled(Index use, int placers, bool wait);

  /// The window of rank `peer` of `comm`, on this node, if it is offered; `wait`: as soon as it is.
  [[nodiscard]] std::span<std::byte> begin_placing(int peer, Index use, bool wait);
  void end_placing(int peer, Index use);

 private:
  struct Slot;  // in shared memory
  NodeWindows() = default;
  [[nodiscard]] int number_of(int peer) const;
  [[nodiscard]] Slot& slot_of(int number, Index use) const;
  [[nodiscard]] std::span<std::byte> window_of(int number, Index use) const;

  std::unique_ptr<SharedMemory> memory_;
  std::vector<int> ranks_;                   // of the node, ascending, by their numbers in the Comm
  std::vector<std::uint64_t> window_bytes_;  // per rank of the node
  int num_slots_ = 0;
  int own_ = 0;  // this rank's number on the node
};

}  // namespace esker
