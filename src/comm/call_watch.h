// CallWatch: reports on stderr which ranks keep the others waiting in a collective call.
//
// The ranks of a node record in shared memory which call they are in, and whether they wait for others. A
// thread of each process checks these records periodically. It makes no MPI call, so MPI_THREAD_FUNNELED is
// enough. When its rank has waited longer than the limit, one rank of the node names the ranks that have not
// arrived, with the last call of each, and the ranks that arrived but do not wait: these are busy with files
// or stopped. A rank observes only the ranks of the same node; on every other node a rank of that node
// reports.
//
// The watch ends no call; RollCall does. docs/internals/decisions/0027-watching-for-missing-ranks.md
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/comm.h"
#include "comm/shared_memory.h"
#include "esker/types/export.h"

namespace esker {

class ESKER_API CallWatch {
 public:
  /// Seconds before the first warning, until set_limit() changes it. 0: no warning.
  static constexpr double kDefaultLimit = 60;

  /// Starts a watch for the ranks of `comm`, which owns it. Does nothing with one rank, or where memory
  /// cannot be shared. Collective.
  static void start(Comm& comm);
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
  ~CallWatch();

  /// Local. Takes effect at once, also for a wait that has begun.
  void set_limit(double seconds);

  /// Marks this rank as inside a collective call of that name. `comm` may have no watch. An inner call is
  /// part of the outer one.
  class Call {
   public:
    Call(Comm& comm, std::string_view operation);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

   private:
    CallWatch* watch_;
  };

  /// Marks this rank as waiting for others.
  class Wait {
   public:
    explicit Wait(CallWatch* watch) : watch_(watch) {
      if (watch_) watch_->begin_wait();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      if (watch_) watch_->end_wait();
    }

   private:
    CallWatch* watch_;
  };

  /// Describes the arguments of this rank's current call. `hash` is equal on ranks with equal arguments,
  /// whatever their texts. Local.
  void describe(std::string_view operation, std::string_view arguments, std::uint64_t hash);

 private:
  struct Slot;
  /// The record of one rank, as read by another.
  struct Sight {
    int rank = 0;
    std::uint64_t calls = 0;
    bool is_inside = false, waits = false;
    double call_s = 0, wait_s = 0;  ///< since it entered or left the call; since it began to wait
    long process = 0;
    std::uint64_t hash = 0;  ///< of the call
    std::string text;
    [[nodiscard]] bool is_in_call_of(const Sight& other) const {
      return is_inside && calls == other.calls && hash == other.hash;
    }
  };

  CallWatch(Comm& comm, std::unique_ptr<SharedMemory> memory);
  void enter(std::string_view operation);
  void leave();
  void begin_wait();
  void end_wait();
  [[nodiscard]] Slot& slot(int node_rank) const;
  [[nodiscard]] Sight look_at(int node_rank) const;
  void watch();
  void look();
  [[nodiscard]] std::string describe_missing(const Sight& mine) const;

  std::unique_ptr<SharedMemory> memory_;
  int own_ = 0, n_node_ranks_ = 1, n_ranks_ = 1;
  int depth_ = 0;
  std::atomic<double> limit_s_ = kDefaultLimit;
  int num_warnings_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;  // limit_s_ or has_ended_
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace esker
