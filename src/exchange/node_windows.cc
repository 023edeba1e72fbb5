#include "exchange/node_windows.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/shared_condition.h"

namespace esker {
namespace {

constexpr Index kPageBytes = 4096;
constexpr Index kControlBytes = kPageBytes;  // the slots of a rank, before its windows

}  // namespace

struct NodeWindows::Slot {
  SharedCondition condition;
  Index offered;  ///< use + 1 of the last offer
  int placed;     ///< ranks that have placed since
};

static_assert(NodeWindows::kMaxSlots * 256 <= kControlBytes);

Index NodeWindows::bytes_for(int num_slots, Index window_bytes) {
  return num_slots * round_up(window_bytes, kPageBytes);
}

Result<std::unique_ptr<NodeWindows>> NodeWindows::create(Comm& comm, Index bytes) {
  static_assert(sizeof(Slot) <= 256);
  Comm& node = comm.node();
  std::unique_ptr<NodeWindows> windows;
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    windows.reset(new NodeWindows());
    windows->ranks_.assign(comm.node_ranks().begin(), comm.node_ranks().end());
    windows->bytes_.resize(windows->ranks_.size());
    return Status();
  }));
  windows->own_ = node.rank();
  node.all_gather(static_cast<std::uint64_t>(bytes), windows->bytes_);
  ESKER_ASSIGN_OR_RETURN(windows->memory_, SharedMemory::create(node, kControlBytes + bytes));
  int failure = 0;
  for (int slot = 0; slot < kMaxSlots && failure == 0; ++slot) {
    failure = windows->slots_of(node.rank())[slot].condition.init();
  }
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    return failure == 0 ? Status() : system_error(failure, "make a lock in", "shared memory");
  }));
  return windows;
}

void NodeWindows::offer(Index use) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  slot.offered = use + 1;
  slot.placed = 0;
  slot.condition.wake_all();
}

bool NodeWindows::is_filled(Index use, int placers, bool wait) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.placed < placers) slot.condition.wait();
  return slot.placed >= placers;
}

std::span<std::byte> NodeWindows::begin_placing(int peer, Index use, bool wait) {
  const int number = number_of(peer);
  Slot& slot = slot_of(number, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.offered != use + 1) slot.condition.wait();
  return slot.offered == use + 1 ? window_of(number, use) : std::span<std::byte>();
}

void NodeWindows::end_placing(int peer, Index use) {
  Slot& slot = slot_of(number_of(peer), use);
  const SharedCondition::Locked lock(slot.condition);
  ++slot.placed;
  slot.condition.wake_all();
}

int NodeWindows::number_of(int peer) const {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), peer) - ranks_.begin());
}

NodeWindows::Slot* NodeWindows::slots_of(int number) const {
  return reinterpret_cast<Slot*>(memory_->of(number).data());
}

NodeWindows::Slot& NodeWindows::slot_of(int number, Index use) const {
  return slots_of(number)[use % num_slots_];
}

std::span<std::byte> NodeWindows::window_of(int number, Index use) const {
  const auto bytes = static_cast<Index>(bytes_[static_cast<std::size_t>(number)]);
  const Index window_bytes = bytes / num_slots_ / kPageBytes * kPageBytes;
  const auto memory = memory_->of(number);
  return memory.subspan(static_cast<std::size_t>(kControlBytes + use % num_slots_ * window_bytes),
                        static_cast<std::size_t>(window_bytes));
}

}  // namespace esker
