#include "exchange/node_windows.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

constexpr Index kPageBytes = 4096;

class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { ::pthread_mutex_lock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { ::pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace

struct NodeWindows::Slot {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  Index offered;  ///< use + 1 of the last offer
  int placed;     ///< ranks that have placed since

  /// 0, or the system's reason.
  int init() {
    pthread_mutexattr_t mutex_attributes;
    pthread_condattr_t cond_attributes;
    int failure = ::pthread_mutexattr_init(&mutex_attributes);
    if (failure == 0) failure = ::pthread_condattr_init(&cond_attributes);
    if (failure == 0) failure = ::pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_SHARED);
    if (failure == 0) failure = ::pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED);
    if (failure == 0) failure = ::pthread_mutex_init(&mutex, &mutex_attributes);
    if (failure == 0) failure = ::pthread_cond_init(&changed, &cond_attributes);
    return failure;
  }
};

// The slots stand in the first page, the windows behind it.
Result<std::unique_ptr<NodeWindows>> NodeWindows::create(Comm& comm, Index window_bytes, int num_slots) {
  Comm& node = comm.node();
  std::unique_ptr<NodeWindows> windows;
  const Index control_bytes = round_up(num_slots * Index{sizeof(Slot)}, kPageBytes);
  const Index rounded_bytes = round_up(window_bytes, kPageBytes);
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    windows.reset(new NodeWindows());
    windows->ranks_.assign(comm.node_ranks().begin(), comm.node_ranks().end());
    windows->window_bytes_.resize(windows->ranks_.size());
    return Status();
  }));
  windows->num_slots_ = num_slots;
  windows->own_ = node.rank();
  node.all_gather(static_cast<std::uint64_t>(rounded_bytes), windows->window_bytes_);
  ESKER_ASSIGN_OR_RETURN(windows->memory_,
                         SharedMemory::create(node, control_bytes + num_slots * rounded_bytes));
  int failure = 0;
  for (int slot = 0; slot < num_slots && failure == 0; ++slot) {
    failure = windows->slot_of(node.rank(), slot).init();
  }
  ESKER_RETURN_IF_ERROR(all_do(node, "share windows", [&] {
    return failure == 0 ? Status() : system_error(failure, "make a lock in", "shared memory");
  }));
  return windows;
}

void NodeWindows::offer(Index use) {
  Slot& slot = slot_of(own_, use);
  const Locked lock(slot.mutex);
  slot.offered = use + 1;
  slot.placed = 0;
  ::pthread_cond_broadcast(&slot.changed);
}

bool NodeWindows::is_filled(Index use, int placers, bool wait) {
  Slot& slot = slot_of(own_, use);
  const Locked lock(slot.mutex);
  while (wait && slot.placed < placers) ::pthread_cond_wait(&slot.changed, &slot.mutex);
  return slot.placed >= placers;
}

std::span<std::byte> NodeWindows::begin_placing(int peer, Index use, bool wait) {
  const int number = number_of(peer);
  Slot& slot = slot_of(number, use);
  const Locked lock(slot.mutex);
  while (wait && slot.offered != use + 1) ::pthread_cond_wait(&slot.changed, &slot.mutex);
  return slot.offered == use + 1 ? window_of(number, use) : std::span<std::byte>();
}

void NodeWindows::end_placing(int peer, Index use) {
  Slot& slot = slot_of(number_of(peer), use);
  const Locked lock(slot.mutex);
  ++slot.placed;
  ::pthread_cond_broadcast(&slot.changed);
}

int NodeWindows::number_of(int peer) const {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), peer) - ranks_.begin());
}

NodeWindows::Slot& NodeWindows::slot_of(int number, Index use) const {
  return reinterpret_cast<Slot*>(memory_->of(number).data())[use % num_slots_];
}

std::span<std::byte> NodeWindows::window_of(int number, Index use) const {
  const auto bytes = static_cast<std::size_t>(window_bytes_[static_cast<std::size_t>(number)]);
  const auto all = memory_->of(number).last(bytes * static_cast<std::size_t>(num_slots_));
  return all.subspan(bytes * static_cast<std::size_t>(use % num_slots_), bytes);
}

}  // namespace esker
