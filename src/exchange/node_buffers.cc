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
constexpr std::size_t kSlotBytes = 256;      // at most

}  // namespace

struct NodeWindows::Slot {
  SharedCondition condition;
  Index offered;  ///< use + 1 of the last offer
  int visitors;   ///< admitted by that offer
  int left;       ///< visitors that have left since
};

struct NodeWindows::Meeting {
  SharedCondition condition;
  Index arrived;  ///< the total over all meetings
};

Index NodeWindows::bytes_for(int num_slots, Index window_bytes) {
  return num_slots * round_up(window_bytes, kPageBytes);
}

Result<std::unique_ptr<NodeWindows>> NodeWindows::create(Comm& comm, Index bytes) {
  static_assert(sizeof(Slot) <= kSlotBytes);
  static_assert(kMaxSlots * kSlotBytes + sizeof(Meeting) <= kControlBytes);
  Comm& node = comm.node();
  std::unique_ptr<NodeWindows> windows;
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    windows.reset(new NodeWindows());
    windows->watch_ = comm.call_watch();
    windows->ranks_.assign(comm.node_ranks().begin(), comm.node_ranks().end());
    windows->bytes_.resize(windows->ranks_.size());
    return Status();
  }));
  windows->own_ = node.rank();
  node.all_gather(static_cast<std::uint64_t>(bytes), windows->bytes_);
  ESKER_ASSIGN_OR_RETURN(windows->memory_, SharedMemory::create(node, kControlBytes + bytes));
  int failure = windows->own_ == 0 ? windows->meeting().condition.init() : 0;
  for (int slot = 0; slot < kMaxSlots && failure == 0; ++slot) {
    failure = windows->slots_of(node.rank())[slot].condition.init();
  }
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    return failure == 0 ? Status() : system_error(failure, "make a lock in", "shared memory");
  }));
  return windows;
}

void NodeWindows::offer(Index use, int visitors) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  slot.offered = use + 1;
  slot.visitors = visitors;
  slot.left = 0;
  slot.condition.wake_all();
}

bool NodeWindows::have_left(Index use, bool wait) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.left < slot.visitors) wait_for_change(slot.condition);
  return slot.left >= slot.visitors;
}

std::span<std::byte> NodeWindows::enter(int peer, Index use, bool wait) {
  const int number = number_of(peer);
  Slot& slot = slot_of(number, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.offered != use + 1) wait_for_change(slot.condition);
  return slot.offered == use + 1 ? window_of(number, use) : std::span<std::byte>();
}

void NodeWindows::leave(int peer, Index use) {
  Slot& slot = slot_of(number_of(peer), use);
  const SharedCondition::Locked lock(slot.condition);
  if (++slot.left == slot.visitors) slot.condition.wake_all();
}

void NodeWindows::meet() {
  Meeting& place = meeting();
  const SharedCondition::Locked lock(place.condition);
  const Index all = ++num_meetings_ * static_cast<Index>(ranks_.size());
  if (++place.arrived == all) {
    place.condition.wake_all();
  } else {
    while (place.arrived < all) wait_for_change(place.condition);
  }
}

void NodeWindows::wait_for_change(SharedCondition& condition) const {
  const CallWatch::Wait wait(watch_);
  condition.wait();
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

NodeWindows::Meeting& NodeWindows::meeting() const {
  return *reinterpret_cast<Meeting*>(memory_->of(0).data() + kMaxSlots * kSlotBytes);
}

std::span<std::byte> NodeWindows::window_of(int number, Index use) const {
  const auto bytes = static_cast<Index>(bytes_[static_cast<std::size_t>(number)]);
  const Index window_bytes = bytes / num_slots_ / kPageBytes * kPageBytes;
  const auto memory = memory_->of(number);
  return memory.subspan(static_cast<std::size_t>(kControlBytes + use % num_slots_ * window_bytes),
                        static_cast<std::size_t>(window_bytes));
}

}  // namespace esker
