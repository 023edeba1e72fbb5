// NodeWindows: the windows of a node's ranks, in memory that all of them reach.
//
// Each rank has a few windows, its slots, and uses them in turn. It offers an empty one to those ranks that
// have samples for it; each of these visitors enters, places its samples at their final position, once, and
// leaves; when all have left, the window is complete. In a delivery (exchange/delivery.h) it offers a full
// one, and visitors take samples from it. Nobody polls, and ranks that have nothing for each other do not
// wait for each other.
//
// Uses are counted: `use` is 0 for the first window that a rank offers, and one more for each that follows,
// offered or not; all ranks of a node count alike. Use u is of slot u % num_slots().
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/call_watch.h"
#include "comm/shared_condition.h"
#include "comm/shared_memory.h"

namespace esker {

class NodeWindows {
 public:
  static constexpr int kMaxSlots = 8;

  /// Memory of `bytes` for this rank's windows, which may be another number on each. Collective over
  /// comm.node(); errors are those of all its ranks, see SharedMemory.
  static Result<std::unique_ptr<NodeWindows>> create(Comm& comm, Index bytes);
  /// What `num_slots` windows of at least `window_bytes` take.
  static Index bytes_for(int num_slots, Index window_bytes);

  /// Cuts the memory of each rank into so many windows, at most kMaxSlots. All ranks, between two uses.
  void set_num_slots(int num_slots) { num_slots_ = num_slots; }
  [[nodiscard]] int num_slots() const { return num_slots_; }
  /// This rank's, for windows.
  [[nodiscard]] Index size_bytes() const {
    return static_cast<Index>(bytes_[static_cast<std::size_t>(own_)]);
  }

  /// This rank's window.
  [[nodiscard]] std::span<std::byte> window(Index use) const { return window_of(own_, use); }
  /// So many others may enter it.
  void offer(Index use, int visitors);
  /// Whether all of them have left since, or nobody has been let in; `wait`: returns when they have.
  [[nodiscard]] bool have_left(Index use, bool wait);

  /// The window of rank `peer` of `comm`, on this node, if it is offered; `wait`: as soon as it is.
  [[nodiscard]] std::span<std::byte> enter(int peer, Index use, bool wait);
  void leave(int peer, Index use);

  /// Returns when all ranks of the node are here. They sleep meanwhile, where MPI would wait awake and keep
  /// others from their core. Collective over the node.
  void meet();

 private:
  struct Slot;     // in shared memory
  struct Meeting;  // in that of the node's first rank
  NodeWindows() = default;
  void wait_for_change(SharedCondition& condition) const;
  [[nodiscard]] int number_of(int peer) const;
  [[nodiscard]] Slot* slots_of(int number) const;
  [[nodiscard]] Slot& slot_of(int number, Index use) const;
  [[nodiscard]] Meeting& meeting() const;
  [[nodiscard]] std::span<std::byte> window_of(int number, Index use) const;

  std::unique_ptr<SharedMemory> memory_;
  std::vector<int> ranks_;            // of the node, ascending, by their numbers in the Comm
  std::vector<std::uint64_t> bytes_;  // for windows, per rank of the node
  int num_slots_ = 1;
  int own_ = 0;  // this rank's number on the node
  Index num_meetings_ = 0;
  CallWatch* watch_ = nullptr;
};

}  // namespace esker
