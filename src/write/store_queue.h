// StoreQueue: stores bytes in a thread while the program computes, from memory that it copies them to.
//
//   StoreQueue queue({.memory_bytes = Index{256} << 20});
//   queue.add(bytes, [&](std::span<std::byte> copy) { return file.write_at(copy, offset); });  // any number
//   status = queue.finish();                                                                   // later
//
// The memory is a limit: bytes beyond it go to a temporary file, if a directory for one is given and has
// room; otherwise add() returns once enough of the earlier bytes are stored. The queue is of one rank, and
// one thread of it calls all functions. The memory is kept for the next bytes of about the same sizes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

class StoreQueue {
 public:
  struct Settings {
    Index memory_bytes = 0;  ///< at most, for copies
    std::string stage = {};  ///< directory of the temporary file; empty: none
    int cores = 0;           ///< the thread runs on so many processors, the last ones; 0: where the rank does
  };
  /// Stores bytes, which it may change. Called one at a time, in the order of add(); not after one that
  /// failed.
  using Action = std::function<Status(std::span<std::byte>)>;

  /// Creates no thread, and holds no bytes. May throw std::bad_alloc.
  explicit StoreQueue(Settings settings) : settings_(std::move(settings)) {}
  StoreQueue(const StoreQueue&) = delete;
  StoreQueue& operator=(const StoreQueue&) = delete;
  /// Like cancel().
  ~StoreQueue() { cancel(); }

  /// Copies `bytes`, for `action`, to an address that is the same modulo kBufferAlignment. If that is
  /// impossible, because there is too little memory or no thread can be created, `action` is called here,
  /// after all earlier ones. Returns the first error of an action so far.
  Status add(std::span<std::byte> bytes, const Action& action);
  /// The same without bytes.
  Status add(std::function<Status()> action);
  /// Waits until all actions have been called; calls those that the thread has not begun. Returns the first
  /// error of one, and forgets it.
  Status finish();
  /// Waits until no action is running, and drops those that were not called.
  void cancel() noexcept;

  /// Bytes whose action has not returned.
  [[nodiscard]] Index pending_bytes();
  // After finish(), of all bytes so far:
  /// The most memory that copies took, and the bytes that went to the temporary file.
  [[nodiscard]] Index peak_bytes() const { return peak_bytes_; }
  [[nodiscard]] Index staged_bytes() const { return staged_bytes_; }
  /// Processor time of the thread.
  [[nodiscard]] double cpu_s() const { return cpu_s_; }

 private:
  /// Memory with room to align what it holds.
  struct Block {
    std::unique_ptr<std::byte[]> data;
    Index capacity_bytes = 0;
  };
  struct Entry {
    Action action;
    std::size_t size_bytes = 0;
    std::size_t misaligned_bytes = 0;  ///< address of the bytes modulo kBufferAlignment
    Block block;
    bool is_staged = false;  ///< the bytes are in the temporary file, at this offset
    Index offset_bytes = 0;
  };

  Status enter(Entry&& entry);
  [[nodiscard]] bool is_full(Index bytes, Index reserved_bytes);
  bool hold(std::span<const std::byte> bytes, Entry& entry);
  bool stage(std::span<const std::byte> bytes, Entry& entry);
  [[nodiscard]] bool take_block(Index capacity_bytes, Block& block);
  void give_back(Entry& entry);
  Status call(Entry& entry);
  void call_first(std::unique_lock<std::mutex>& lock);
  void run();
  void start();
  void end_thread();

  Settings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::deque<Entry> entries_;  // the first one may be in work
  std::vector<Block> free_;    // memory between uses
  Index memory_bytes_ = 0;     // of the blocks of both
  Index peak_bytes_ = 0;
  Index pending_bytes_ = 0;
  Index num_staged_ = 0;  // entries in the temporary file
  Status status_;
  bool drops_ = false, ends_ = false;
  // Of the thread that fills the queue:
  std::thread thread_;
  Index largest_bytes_ = 0;  // capacity for an entry that the memory can hold
  Index staged_end_bytes_ = 0, staged_bytes_ = 0;
  std::unique_ptr<File> staged_;  // but for read_at()
  // Of the thread that calls actions:
  Block read_block_;
  double cpu_s_ = 0;
};

}  // namespace esker
