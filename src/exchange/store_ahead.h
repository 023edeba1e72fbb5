// StoreAhead: a thread stores the buffers of rounds, in order, while the rank fills the next ones.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace esker {

class StoreAhead {
 public:
  /// Stores the buffer of a round, and must not throw. Called for rounds 0, 1, ..., one at a time.
  using StoreRound = std::function<void(std::size_t round)>;

  /// If `in_thread` and a thread can be created, a separate thread calls `store_round`; otherwise add() does.
  StoreAhead(StoreRound store_round, bool in_thread);
  /// Returns when all added rounds are stored.
  ~StoreAhead();
  StoreAhead(const StoreAhead&) = delete;
  StoreAhead& operator=(const StoreAhead&) = delete;

  [[nodiscard]] bool in_thread() const { return thread_.joinable(); }
  /// The buffer of the next round is full.
  void add();
  /// Whether the first `rounds` rounds are stored. With `wait` it returns when they are.
  [[nodiscard]] bool have_stored(std::size_t rounds, bool wait);

 private:
  void store_all();

  StoreRound store_round_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t added_ = 0, stored_ = 0;
  bool is_complete_ = false;  // no round will be added
  std::thread thread_;
};

}  // namespace esker
