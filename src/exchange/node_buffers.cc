#include "exchange/node_buffers.h"

#include <algorithm>

#include "base/cache_line.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/shared_condition.h"

namespace esker {
namespace {

constexpr Index kHeaderBytes = 4096;     // the slots of a rank and the barrier, before its buffers
constexpr std::size_t kSlotBytes = 256;  // at most

}  // namespace

struct NodeBuffers::Slot {
  SharedCondition condition;
  Index offered;      ///< use + 1 of the last offer
  int visitors;       ///< admitted by that offer
  int left;           ///< visitors that have left since
  std::size_t begin;  ///< where the buffer of that offer begins
};

struct NodeBuffers::Barrier {
  SharedCondition condition;
  Index arrived;  ///< the total over all barriers
};

Index NodeBuffers::bytes_for(int num_slots, Index buffer_bytes) {
  return num_slots * round_up(buffer_bytes, kCacheLineBytes);
}

Result<std::unique_ptr<NodeBuffers>> NodeBuffers::create(Comm& comm, Index bytes) {
  static_assert(sizeof(Slot) <= kSlotBytes);
  static_assert(kMaxSlots * kSlotBytes + sizeof(Barrier) <= kHeaderBytes);
  Comm& node = comm.node();
  std::unique_ptr<NodeBuffers> buffers;
  ESKER_RETURN_IF_ERROR(all_do(node, "share buffers", [&] {
    buffers.reset(new NodeBuffers());
    buffers->watch_ = comm.call_watch();
    buffers->ranks_.assign(comm.node_ranks().begin(), comm.node_ranks().end());
    buffers->bytes_.resize(buffers->ranks_.size());
    return Status();
  }));
  buffers->own_ = node.rank();
  node.all_gather(static_cast<std::uint64_t>(bytes), buffers->bytes_);
  ESKER_ASSIGN_OR_RETURN(buffers->memory_, SharedMemory::create(node, kHeaderBytes + bytes));
  int failure = buffers->own_ == 0 ? buffers->barrier().condition.init() : 0;
  for (int slot = 0; slot < kMaxSlots && failure == 0; ++slot) {
    failure = buffers->slots_of(node.rank())[slot].condition.init();
  }
  ESKER_RETURN_IF_ERROR(all_do(node, "share buffers", [&] {
    return failure == 0 ? Status() : system_error(failure, "initialize a lock in", "shared memory");
  }));
  return buffers;
}

void NodeBuffers::offer(Index use, int visitors, std::size_t begin) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  slot.offered = use + 1;
  slot.visitors = visitors;
  slot.left = 0;
  slot.begin = begin;
  slot.condition.wake_all();
}

bool NodeBuffers::have_left(Index use, bool wait) {
  Slot& slot = slot_of(own_, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.left < slot.visitors) wait_for_change(slot.condition);
  return slot.left >= slot.visitors;
}

std::span<std::byte> NodeBuffers::enter(int peer, Index use, bool wait) {
  const int number = number_of(peer);
  Slot& slot = slot_of(number, use);
  const SharedCondition::Locked lock(slot.condition);
  while (wait && slot.offered != use + 1) wait_for_change(slot.condition);
  return slot.offered == use + 1 ? buffer_of(number, use).subspan(slot.begin) : std::span<std::byte>();
}

void NodeBuffers::leave(int peer, Index use) {
  Slot& slot = slot_of(number_of(peer), use);
  const SharedCondition::Locked lock(slot.condition);
  if (++slot.left == slot.visitors) slot.condition.wake_all();
}

void NodeBuffers::meet() {
  Barrier& state = barrier();
  const SharedCondition::Locked lock(state.condition);
  const Index all = ++num_barriers_ * static_cast<Index>(ranks_.size());
  if (++state.arrived == all) {
    state.condition.wake_all();
  } else {
    while (state.arrived < all) wait_for_change(state.condition);
  }
}

void NodeBuffers::wait_for_change(SharedCondition& condition) const {
  const CallWatch::Wait wait(watch_);
  condition.wait();
}

int NodeBuffers::number_of(int peer) const {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), peer) - ranks_.begin());
}

NodeBuffers::Slot* NodeBuffers::slots_of(int number) const {
  return reinterpret_cast<Slot*>(memory_->of(number).data());
}

NodeBuffers::Slot& NodeBuffers::slot_of(int number, Index use) const {
  return slots_of(number)[use % num_slots_];
}

NodeBuffers::Barrier& NodeBuffers::barrier() const {
  return *reinterpret_cast<Barrier*>(memory_->of(0).data() + kMaxSlots * kSlotBytes);
}

std::span<std::byte> NodeBuffers::buffer_of(int number, Index use) const {
  const auto bytes = static_cast<Index>(bytes_[static_cast<std::size_t>(number)]);
  const Index buffer_bytes = bytes / num_slots_ / kCacheLineBytes * kCacheLineBytes;
  const auto memory = memory_->of(number);
  return memory.subspan(static_cast<std::size_t>(kHeaderBytes + use % num_slots_ * buffer_bytes),
                        static_cast<std::size_t>(buffer_bytes));
}

}  // namespace esker
