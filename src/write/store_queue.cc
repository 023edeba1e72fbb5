#include "write/store_queue.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/system.h"
#include "base/worker_thread.h"
#include "plan/plan.h"

namespace esker {
namespace {

std::size_t misaligned_bytes(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(kBufferAlignment);
}

/// `size_bytes` bytes of `memory`, which has room to align them, at an address that is so much misaligned.
std::span<std::byte> aligned(std::byte* memory, std::size_t size_bytes, std::size_t misaligned) {
  constexpr auto kAlignment = static_cast<std::size_t>(kBufferAlignment);
  if (size_bytes == 0) return {};
  return {memory + (misaligned + kAlignment - misaligned_bytes(memory)) % kAlignment, size_bytes};
}

}  // namespace

Status StoreQueue::add(std::span<std::byte> bytes, const Action& action) {
  start();
  const Index capacity_bytes = with_room_to_align(std::ssize(bytes));
  if (capacity_bytes <= settings_.memory_bytes) largest_bytes_ = std::max(largest_bytes_, capacity_bytes);
  bool can_stage = !settings_.stage.empty();
  std::unique_lock lock(mutex_);
  while (status_.ok() && thread_.joinable()) {
    lock.unlock();
    Entry entry;
    if (hold(bytes, entry) || (can_stage && stage(bytes, entry))) {
      entry.size_bytes = bytes.size();
      entry.misaligned_bytes = misaligned_bytes(bytes.data());
      Status entered = guarded("queue", [&] {
        entry.action = action;
        return enter(std::move(entry));
      });
      lock.lock();
      if (!entered.ok()) give_back(entry);
      return entered;
    }
    lock.lock();
    if (entries_.empty()) break;
    can_stage = false;  // it is full
    changed_.wait(lock, [&, before = entries_.size()] { return entries_.size() < before; });
  }
  if (status_.ok()) status_ = guarded("store", [&] { return action(bytes); });
  return status_;
}

Status StoreQueue::add(std::function<Status()> action) {
  start();
  return guarded("queue", [&] {
    Entry entry;
    entry.action = [inner = std::move(action)](std::span<std::byte>) { return inner(); };
    return enter(std::move(entry));
  });
}

/// Adds an entry whose bytes, if it has any, are in its block or in the temporary file.
Status StoreQueue::enter(Entry&& entry) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    pending_bytes_ += static_cast<Index>(entries_.back().size_bytes);
  }
  changed_.notify_all();
  return {};
}

/// Whether so much more memory exceeds the limit, even without blocks between uses. With the mutex.
bool StoreQueue::is_full(Index bytes, Index reserved_bytes) {
  const Index most_bytes = settings_.memory_bytes - bytes - reserved_bytes;
  while (memory_bytes_ > most_bytes && !free_.empty()) {
    memory_bytes_ -= free_.back().capacity_bytes;
    free_.pop_back();
  }
  if (memory_bytes_ > most_bytes) return true;
  peak_bytes_ = std::max(peak_bytes_, memory_bytes_ + bytes + reserved_bytes);
  return false;
}

/// Copies bytes to memory, if the limit allows.
bool StoreQueue::hold(std::span<const std::byte> bytes, Entry& entry) {
  if (!take_block(with_room_to_align(std::ssize(bytes)), entry.block)) return false;
  std::memcpy(aligned(entry.block.data.get(), bytes.size(), misaligned_bytes(bytes.data())).data(),
              bytes.data(), bytes.size());
  return true;
}

/// A block that was used before, or a new one. With a temporary file, memory to read from it is spared.
bool StoreQueue::take_block(Index capacity_bytes, Block& block) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [&](const Block& other) { return other.capacity_bytes >= capacity_bytes; });
  if (found != free_.end()) {
    block = std::move(*found);
    free_.erase(found);
    return true;
  }
  if (is_full(capacity_bytes, settings_.stage.empty() ? 0 : largest_bytes_)) return false;
  block.data.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(capacity_bytes)]);
  if (!block.data) return false;
  block.capacity_bytes = capacity_bytes;
  memory_bytes_ += capacity_bytes;
  return true;
}

/// Copies bytes to the temporary file, if they can be read from there in the memory that is left.
bool StoreQueue::stage(std::span<const std::byte> bytes, Entry& entry) {
  if (with_room_to_align(std::ssize(bytes)) > largest_bytes_) return false;
  const Status staged = guarded("stage", [&]() -> Status {
    if (!staged_) {
      ESKER_ASSIGN_OR_RETURN(staged_, open_unnamed(settings_.stage));
    }
    {
      const std::lock_guard lock(mutex_);
      if (is_full(largest_bytes_, 0)) return out_of_memory("stage");
      if (num_staged_ == 0) staged_end_bytes_ = 0;
    }
    ESKER_RETURN_IF_ERROR(staged_->write_at(bytes, staged_end_bytes_));
    entry.is_staged = true;
    entry.offset_bytes = std::exchange(staged_end_bytes_, staged_end_bytes_ + std::ssize(bytes));
    staged_bytes_ += std::ssize(bytes);
    const std::lock_guard lock(mutex_);
    ++num_staged_;
    return {};
  });
  return staged.ok();
}

Status StoreQueue::call(Entry& entry) {
  if (!entry.is_staged) {
    return entry.action(aligned(entry.block.data.get(), entry.size_bytes, entry.misaligned_bytes));
  }
  const Index needed_bytes = with_room_to_align(static_cast<Index>(entry.size_bytes));
  if (read_block_.capacity_bytes < needed_bytes) {
    read_block_ = {};
    read_block_.data = std::make_unique<std::byte[]>(static_cast<std::size_t>(needed_bytes));
    read_block_.capacity_bytes = needed_bytes;
  }
  const auto bytes = aligned(read_block_.data.get(), entry.size_bytes, entry.misaligned_bytes);
  ESKER_RETURN_IF_ERROR(staged_->read_at(bytes, entry.offset_bytes));
  return entry.action(bytes);
}

/// Calls the action of the first entry, unless one has failed, and removes the entry.
void StoreQueue::call_first(std::unique_lock<std::mutex>& lock) {
  Entry& entry = entries_.front();
  if (status_.ok() && !drops_) {
    lock.unlock();
    Status stored = guarded("store", [&] { return call(entry); });
    lock.lock();
    status_ = std::move(stored);
  }
  pending_bytes_ -= static_cast<Index>(entry.size_bytes);
  give_back(entry);
  entries_.pop_front();
  changed_.notify_all();
}

/// The memory of an entry that is done.
void StoreQueue::give_back(Entry& entry) {
  if (entry.is_staged) --num_staged_;
  if (!entry.block.data) return;
  const Index capacity_bytes = entry.block.capacity_bytes;
  const Status kept = guarded("queue", [&] {
    free_.push_back(std::move(entry.block));
    return Status();
  });
  if (!kept.ok()) memory_bytes_ -= capacity_bytes;
}

void StoreQueue::run() {
  run_on_last(settings_.cores);
  yield_to_program();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !entries_.empty() || ends_; });
    if (ends_) break;
    call_first(lock);
  }
  cpu_s_ += thread_cpu_s();
}

/// The thread, unless it runs or cannot be created.
void StoreQueue::start() {
  if (!thread_.joinable()) thread_ = start_worker([this] { run(); });
}

/// The thread ends when the action in work returns.
void StoreQueue::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  ends_ = false;
}

// The calling rank does the rest itself: it has nothing else to do, and the thread yields to other ranks.
Status StoreQueue::finish() {
  end_thread();
  {
    std::unique_lock lock(mutex_);
    while (!entries_.empty()) call_first(lock);
  }
  staged_.reset();
  return std::exchange(status_, Status());
}

void StoreQueue::cancel() noexcept {
  {
    const std::lock_guard lock(mutex_);
    drops_ = true;
  }
  (void)finish();
  drops_ = false;
}

Index StoreQueue::pending_bytes() {
  const std::lock_guard lock(mutex_);
  return pending_bytes_;
}

}  // namespace esker
