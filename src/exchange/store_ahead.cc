#include "exchange/store_ahead.h"

#include <utility>

#include "base/worker_thread.h"

namespace esker {

StoreAhead::StoreAhead(StoreRound store_round, bool in_thread) : store_round_(std::move(store_round)) {
  if (in_thread) thread_ = start_worker([this] { store_all(); });
}

StoreAhead::~StoreAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StoreAhead::add() {
  if (!thread_.joinable()) {
    ++added_;
    store_round_(stored_++);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ++added_;
  }
  changed_.notify_all();
}

bool StoreAhead::have_stored(std::size_t rounds, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [&] { return stored_ >= rounds; });
  return stored_ >= rounds;
}

void StoreAhead::store_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return added_ > stored_ || is_complete_; });
    if (added_ == stored_) return;
    lock.unlock();
    store_round_(stored_);
    lock.lock();
    ++stored_;
    changed_.notify_all();
  }
}

}  // namespace esker
