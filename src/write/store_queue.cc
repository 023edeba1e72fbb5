#include "write/store_queue.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
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
  return {memory + (misaligned + kAlignment - misaligned_bytes(memory)) % kAlignment, size_bytes};
}

}  // namespace

Status StoreQueue::add(std::span<std::byte> bytes, Action action) {
  largest_bytes_ = std::max(largest_bytes_, with_room_to_align(std::ssize(bytes)));
  if (!thread_.joinable()) thread_ = start_worker([this] { run(); });
  Entry entry{std::move(action), bytes.size(), misaligned_bytes(bytes.data()), {}, 0};
  bool can_stage = !limits_.stage.empty();
  std::unique_lock lock(mutex_);
  while (status_.ok() && thread_.joinable()) {
    lock.unlock();
    const bool is_held = hold(bytes, entry) || (can_stage && stage(bytes, entry));
    lock.lock();
    if (is_held) {
      status_ = guarded("queue", [&] { return entries_.push_back(std::move(entry)), Status(); });
      if (status_.ok()) pending_bytes_ += std::ssize(bytes);
      changed_.notify_all();
      return status_;
    }
    if (entries_.empty()) break;
    can_stage = false;  // it is full
    changed_.wait(lock, [&, before = entries_.size()] { return entries_.size() < before; });
  }
  if (status_.ok()) status_ = entry.action(bytes);
  return status_;
}

/// Copies bytes to memory, if the limit allows. Local.
bool StoreQueue::hold(std::span<const std::byte> bytes, Entry& entry) {
  if (!take_block(with_room_to_align(std::ssize(bytes)), entry.block)) return false;
  std::memcpy(aligned(entry.block.data.get(), entry.size_bytes, entry.misaligned_bytes).data(), bytes.data(),
              bytes.size());
  return true;
}

/// A block that was used before, or a new one. Blocks that are too small give way.
bool StoreQueue::take_block(Index capacity_bytes, Block& block) {
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const Block& other) { return other.capacity_bytes >= capacity_bytes; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found != free_.end()) {
    block = std::move(*found);
    free_.erase(found);
    return true;
  }
  const Index most_bytes = limits_.memory_bytes - reserved_bytes() - capacity_bytes;
  while (memory_bytes_ > most_bytes && !free_.empty()) {
    memory_bytes_ -= free_.back().capacity_bytes;
    free_.pop_back();
  }
  if (memory_bytes_ > most_bytes) return false;
  block.data.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(capacity_bytes)]);
  if (!block.data) return false;
  block.capacity_bytes = capacity_bytes;
  memory_bytes_ += capacity_bytes;
  peak_bytes_ = std::max(peak_bytes_, memory_bytes_ + reserved_bytes());
  return true;
}

/// Copies bytes to the temporary file. Local.
bool StoreQueue::stage(std::span<const std::byte> bytes, Entry& entry) {
  if (largest_bytes_ > limits_.memory_bytes) return false;  // the thread could not read it
  return guarded("stage",
                 [&]() -> Status {
                   if (!staged_) {
                     ESKER_ASSIGN_OR_RETURN(staged_, open_unnamed(limits_.stage));
                   }
                   {
                     const std::lock_guard lock(mutex_);
                     if (num_staged_ == 0) staged_end_bytes_ = 0;
                   }
                   ESKER_RETURN_IF_ERROR(staged_->write_at(bytes, staged_end_bytes_));
                   entry.offset_bytes = staged_end_bytes_;
                   staged_end_bytes_ += std::ssize(bytes);
                   staged_bytes_ += std::ssize(bytes);
                   const std::lock_guard lock(mutex_);
                   ++num_staged_;
                   return {};
                 })
      .ok();
}

/// Of the thread.
Status StoreQueue::call(Entry& entry) {
  if (entry.block.data) {
    return entry.action(aligned(entry.block.data.get(), entry.size_bytes, entry.misaligned_bytes));
  }
  return guarded("stage", [&]() -> Status {
    const Index needed_bytes = with_room_to_align(static_cast<Index>(entry.size_bytes));
    if (read_block_.capacity_bytes < needed_bytes) {
      read_block_ = {};
      read_block_.data = std::make_unique<std::byte[]>(static_cast<std::size_t>(needed_bytes));
      read_block_.capacity_bytes = needed_bytes;
    }
    const auto bytes = aligned(read_block_.data.get(), entry.size_bytes, entry.misaligned_bytes);
    ESKER_RETURN_IF_ERROR(staged_->read_at(bytes, entry.offset_bytes));
    return entry.action(bytes);
  });
}

void StoreQueue::run() {
  run_on_last(limits_.cores);
  yield_to_program();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !entries_.empty() || is_complete_; });
    if (entries_.empty()) break;
    Entry& entry = entries_.front();
    if (status_.ok() && !drops_) {
      lock.unlock();
      Status stored = call(entry);
      lock.lock();
      status_ = std::move(stored);
    }
    pending_bytes_ -= static_cast<Index>(entry.size_bytes);
    if (!entry.block.data) {
      --num_staged_;
    } else if (!guarded("queue", [&] { return free_.push_back(std::move(entry.block)), Status(); }).ok()) {
      memory_bytes_ -= entry.block.capacity_bytes;
    }
    entries_.pop_front();
    changed_.notify_all();
  }
  cpu_s_ += thread_cpu_s();
}

void StoreQueue::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
  }
  changed_.notify_all();
  thread_.join();
  is_complete_ = drops_ = false;
  staged_.reset();
}

Status StoreQueue::finish() {
  end_thread();
  return std::exchange(status_, Status());
}

void StoreQueue::cancel() {
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
