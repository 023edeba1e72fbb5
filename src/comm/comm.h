// Comm: the operations that Esker needs from a group of ranks. The serial implementation is here, the MPI one
// in comm/mpi.
//
// Collective are split, barrier, meet_within, all_*, sum_before, broadcast, exchange_sizes. Both ranks of a
// transfer make the matching calls. All calls come from one thread. A failure inside MPI itself ends the
// program through MPI's error handler, because no rank could be informed of it.
//
// No function here allocates memory while it communicates: a rank that runs out of memory inside a collective
// call would leave the others waiting in it. The caller provides the memory and agrees on it beforehand.
//
// Exported, though internal: the library esker_mpi derives from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/remote_memory.h"
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// Another rank, and the number of bytes sent to it or received from it.
struct PeerSize {
  int peer = 0;
  std::uint64_t bytes = 0;
};

/// Parts of a buffer, one per rank: counts[r] bytes beginning at bytes + starts[r].
template <class Byte>
struct PartsOfRanks {
  Byte* bytes = nullptr;
  std::span<const int> counts, starts;
};

/// Of Comm::meet_within().
inline constexpr std::size_t kMostMeetingValues = 16;

class CallWatch;
class RollCall;
class Store;

class ESKER_API Comm {
 public:
  /// Owns a resource for all ranks (for example the writer lock); released when the program ends the ranks.
  class EndListener {
   public:
    /// MPI_Finalize has been called while the listener was still registered. Local: no collective call is
    /// possible.
    virtual void comm_ends() = 0;

   protected:
    ~EndListener() = default;
  };

  virtual ~Comm() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// The ranks that share memory with this one, itself included, as a separate Comm. It lives as long as this
  /// one. Its node() is itself.
  [[nodiscard]] virtual Comm& node() = 0;
  /// The same ranks in the order of node(), by their numbers in this Comm.
  [[nodiscard]] virtual std::span<const int> node_ranks() const = 0;

  /// The ranks with the same `group`, in the order of `place`, as a separate Comm, whose node() is itself;
  /// null where `group` is negative. May throw after it has communicated.
  [[nodiscard]] virtual std::unique_ptr<Comm> split(int group, int place) = 0;

  /// A store that writes files by the MPI-IO of this communicator's MPI, with `hints`, and leaves all other
  /// operations to `inner`. Local. kUnsupported where there is no MPI.
  virtual Result<std::shared_ptr<Store>> store_by_mpi_io(std::shared_ptr<Store> inner,
                                                         const std::string& hints);

  virtual void barrier() = 0;
  /// The opening of every collective call, whatever the call is: element-wise maximum, in place, the same
  /// length everywhere, at most kMostMeetingValues. Returns false if a rank has not arrived within `limit_s`
  /// seconds (0: waits forever; limits may differ). This rank then still takes part in the pending meeting,
  /// and may take part in one more; every other use of this Comm is invalid after that.
  [[nodiscard]] virtual bool meet_within(double limit_s, std::span<std::uint64_t> values) = 0;
  /// Element-wise maximum over ranks, in place; the same length everywhere.
  virtual void all_reduce_max(std::span<std::uint64_t> values) = 0;
  /// Element-wise sum and maximum of reals, in place.
  virtual void all_reduce_sum(std::span<double> values) = 0;
  virtual void all_reduce_max(std::span<double> values) = 0;
  /// The sum of `mine` over the ranks with lower numbers.
  [[nodiscard]] virtual std::uint64_t sum_before(std::uint64_t mine) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Every rank's number, in the order of ranks.
  virtual void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) = 0;
  /// Every rank's bytes, concatenated in the order of ranks; rank r has lengths[r] of them.
  virtual void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t> lengths,
                          std::span<std::byte> joined) = 0;

  /// Sends to every rank its part of `sends` and receives from every rank its part of `receives`. The lengths
  /// of matching parts are equal.
  virtual void all_to_all(const PartsOfRanks<const std::byte>& sends,
                          const PartsOfRanks<std::byte>& receives) = 0;

  /// Local; may throw. The result must not outlive this Comm.
  [[nodiscard]] virtual std::unique_ptr<RemoteMemory> make_remote_memory() = 0;
  /// Whether the MPI library moves the bytes that make_put_source() describes correctly. kUnsupported
  /// describes what it does wrong. Local.
  [[nodiscard]] virtual Status check_put_sources() { return {}; }
  /// The parts follow one another; they have at most 1 GiB in all.
  [[nodiscard]] virtual std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes> parts) = 0;

  /// Makes room for this many transfers between two finish() calls; may throw. After it start_* do not
  /// allocate.
  virtual void reserve_transfers(std::size_t sends, std::size_t receives) = 0;

  /// Sends to each rank in `to` the number of bytes that this rank has for it; each rank is listed once.
  /// Returns how many ranks did so for this one, and stores those that fit into `from`, in any order.
  /// Collective, between finish() and the next start_*, after reserve_transfers() for at least to.size()
  /// sends. The cost is that of the rank's own partners and a barrier. It does not depend on the size of the
  /// group.
  virtual std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) = 0;

  /// Non-blocking transfers between two ranks. Transfers of one pair arrive in the order of sending. At most
  /// 1 GiB each. The caller does not change the memory of a send, or read the memory of a receive, until
  /// finish or wait_any_receive reports completion.
  virtual void start_send(std::span<const std::byte> bytes, int to) = 0;
  virtual void start_receive(std::span<std::byte> bytes, int from) = 0;
  /// Index, among the receives started since the last finish(), of a receive that has completed and was not
  /// returned before; -1 when all have been returned.
  virtual int wait_any_receive() = 0;
  /// Returns when all started transfers are complete.
  virtual void finish() = 0;

  /// Control messages are of one fixed size, matched separately from the transfers. A started one must
  /// not change until finish_controls() reports that all have been sent.
  virtual void start_control(std::span<const std::byte> message, int to) = 0;
  /// Receives a message into `message` and returns its sender; -1 if none has arrived. Never waits.
  virtual int take_control(std::span<std::byte> message) = 0;
  virtual void finish_controls() = 0;

  /// Beginning with the next opening of a collective call, missing ranks are named (roll_call.h). The same on
  /// all ranks.
  void set_roll_call(std::shared_ptr<RollCall> roll_call) { state_->roll_call = std::move(roll_call); }
  [[nodiscard]] RollCall* roll_call() const { return state_->roll_call.get(); }

  /// Reports which ranks keep others waiting (call_watch.h); may be null.
  void set_call_watch(std::shared_ptr<CallWatch> watch) { state_->call_watch = std::move(watch); }
  [[nodiscard]] CallWatch* call_watch() const { return state_->call_watch.get(); }

  /// The reason why no collective call is possible any more; every agree() returns it. Success if calls are
  /// possible.
  [[nodiscard]] const Status& ended() const { return state_->ended; }
  void end(const Status& why) { state_->ended = why; }

  /// May throw. A listener is removed before it is destroyed.
  void add_end_listener(EndListener* listener) { state_->end_listeners.push_back(listener); }
  void remove_end_listener(EndListener* listener) { std::erase(state_->end_listeners, listener); }

  /// The settings of this Comm. A Comm that wraps it, see observed_comm(), shares them.
  struct State {
    std::shared_ptr<RollCall> roll_call;
    std::shared_ptr<CallWatch> call_watch;
    std::vector<EndListener*> end_listeners;
    Status ended;
  };
  [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }

 protected:
  Comm() : state_(std::make_shared<State>()) {}
  explicit Comm(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void notify_end_listeners() {
    for (EndListener* listener : state_->end_listeners) listener->comm_ends();
  }

 private:
  std::shared_ptr<State> state_;
};

/// A group of one rank.
std::unique_ptr<Comm> serial_comm();

}  // namespace esker
