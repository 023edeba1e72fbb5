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
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

class StoreQueue {
 public:
  struct Limits {
    Index memory_bytes = 0;
    std::string stage = {};  ///< directory of the temporary file; empty: none
    int cores = 0;           ///< the thread runs on so many processors, the last ones; 0: where the rank does
  };
  /// Stores bytes, which it may change. Called by the thread, one at a time, in the order of add(); not after
  /// one that failed. Does not throw.
  using Action = std::function<Status(std::span<std::byte>)>;

  /// Allocates nothing.
  explicit StoreQueue(Limits limits) : limits_(std::move(limits)) {}
  StoreQueue(const StoreQueue&) = delete;
  StoreQueue& operator=(const StoreQueue&) = delete;
  /// Like cancel().
  ~StoreQueue() { cancel(); }

  /// Copies `bytes`, for `action`, to an address that is the same modulo kBufferAlignment. If that is
  /// impossible, because there is too little memory or no thread can be created, `action` is called here,
  /// after all earlier ones. Returns the first error of an action so far.
  Status add(std::span<std::byte> bytes, Action action);
  /// Waits until all actions have been called. Returns the first error of one, and forgets it.
  Status finish();
  /// Waits until no action is running, and drops those that were not called.
  void cancel();

  /// Bytes whose action has not returned.
  [[nodiscard]] Index pending_bytes();
  /// The most memory that copies took, and the bytes that went to the temporary file.
  [[nodiscard]] Index peak_bytes() const { return peak_bytes_; }
  [[nodiscard]] Index staged_bytes() const { return staged_bytes_; }
  /// Processor time of the thread, until finish().
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
    Block block;                       ///< without memory: the bytes are in the temporary file
    Index offset_bytes = 0;            ///< there
  };

  bool hold(std::span<const std::byte> bytes, Entry& entry);
  bool stage(std::span<const std::byte> bytes, Entry& entry);
  bool take_block(Index capacity_bytes, Block& block);
  [[nodiscard]] Index reserved_bytes() const { return limits_.stage.empty() ? 0 : largest_bytes_; }
  Status call(Entry& entry);
  void run();
  void end_thread();

  Limits limits_;
  std::mutex mutex_;  // of what follows, until the mark
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // the first one is in work
  std::vector<Block> free_;    // memory between uses
  Index memory_bytes_ = 0;     // of the blocks of both
  Index pending_bytes_ = 0;
  Index num_staged_ = 0;  // entries in the temporary file
  Status status_;
  bool drops_ = false, is_complete_ = false;
  // Not shared with the thread:
  std::thread thread_;
  Index largest_bytes_ = 0;  // capacity that an entry needed
  Index staged_end_bytes_ = 0;
  Index peak_bytes_ = 0, staged_bytes_ = 0;
  std::unique_ptr<File> staged_;  // but for read_at()
  // Of the thread:
  Block read_block_;
  double cpu_s_ = 0;
};

}  // namespace esker
