// StoreAhead: a thread stores the windows of rounds, in order, while the rank fills the next ones.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace esker {

class StoreAhead {
 public:
  /// Stores the window of a round, and must not throw. Called for rounds 0, 1, ..., never for two at a time.
  using StoreRound = std::function<void(std::size_t round)>;

  /// `store_round` is called by a thread of its own, if `in_thread` and there can be one; else by add().
  StoreAhead(StoreRound store_round, bool in_thread);
  /// Returns when all rounds that were added are stored.
  ~StoreAhead();
  StoreAhead(const StoreAhead&) = delete;
  StoreAhead& operator=(const StoreAhead&) = delete;

  [[nodiscard]] bool in_thread() const { return thread_.joinable(); }
  /// The window of the next round is full.
  void add();
  /// Whether the first `rounds` are stored; `wait`: returns when they are.
  [[nodiscard]] bool have_stored(std::size_t rounds, bool wait);

 private:
  void store_all();

  StoreRound store_round_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t added_ = 0, stored_ = 0;
  bool is_complete_ = false;  // no round is added any more
  std::thread thread_;
};

}  // namespace esker
