// Comm: what Esker needs of a group of ranks. A serial body here, an MPI body in comm/mpi.
//
// Collective are barrier, meet_within, all_*, sum_before, broadcast, exchange_sizes; the transfers between
// two ranks are matched by the two. Calls come from one thread. A failure inside MPI itself ends the program
// through MPI's error handler: no rank could be told of it.
//
// Nothing here allocates memory while it communicates: a rank that runs out of memory inside a collective
// call would leave the others waiting in it. Who calls provides the memory, and agrees on it before.
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
#include "esker/communicator.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// Another rank, and how many bytes are for it or come from it.
struct PeerSize {
  int peer = 0;
  std::uint64_t bytes = 0;
};

/// Parts of a buffer, one per rank: counts[r] bytes from bytes + starts[r] on.
template <class Byte>
struct PartsOfRanks {
  Byte* bytes = nullptr;
  std::span<const int> counts, starts;
};

class CallWatch;
class RollCall;
class Store;

class ESKER_API Comm {
 public:
  /// Who holds something on behalf of the ranks, a lock say, that is to be let go when the program ends them.
  class Guest {
   public:
    /// MPI_Finalize has been called, with the guest still here. Local: no collective call is possible.
    virtual void comm_ends() = 0;

   protected:
    ~Guest() = default;
  };

  virtual ~Comm() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// The ranks that share memory with this one, itself included, as a Comm of their own, which lives as long
  /// as this one; its node() is itself.
  [[nodiscard]] virtual Comm& node() = 0;
  /// Those ranks, in the order of node(), by their numbers in this Comm.
  [[nodiscard]] virtual std::span<const int> node_ranks() const = 0;

  /// A store whose files are written by the MPI-IO of this communicator's MPI, with `hints`, and otherwise
  /// are those of `beside`. Local. kUnsupported where there is no MPI.
  virtual Result<std::shared_ptr<Store>> store_by_mpi_io(std::shared_ptr<Store> beside,
                                                         const std::string& hints);

  virtual void barrier() = 0;
  /// The openings of all collective calls meet here, whatever calls they are: element-wise maximum, in place,
  /// the same length everywhere, at most 8. False if some rank has not come within `limit_s` seconds (0:
  /// waits for ever; limits may differ): this rank then takes part in the meeting all the same, and may do so
  /// in one more; for everything else this Comm is of no more use to it.
  [[nodiscard]] virtual bool meet_within(double limit_s, std::span<std::uint64_t> values) = 0;
  /// Element-wise maximum over ranks, in place; the same length everywhere.
  virtual void all_reduce_max(std::span<std::uint64_t> values) = 0;
  /// Element-wise sum, maximum, minimum of reals, in place.
  virtual void all_reduce_sum(std::span<double> values) = 0;
  virtual void all_reduce_max(std::span<double> values) = 0;
  /// The sum over the ranks with lower numbers.
  [[nodiscard]] virtual std::uint64_t sum_before(std::uint64_t mine) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Every rank's number, in the order of ranks.
  virtual void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) = 0;
  /// Every rank's bytes, one after the other in the order of ranks; lengths[r] of rank r.
  virtual void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t> lengths,
                          std::span<std::byte> joined) = 0;

  /// To every rank its part of `sends`, from every rank its part of `receives`: lengths are those of the two.
  virtual void all_to_all(const PartsOfRanks<const std::byte>& sends,
                          const PartsOfRanks<std::byte>& receives) = 0;

  /// Local; may throw. Not to be used beyond the life of this Comm.
  [[nodiscard]] virtual std::unique_ptr<RemoteMemory> make_remote_memory() = 0;
  /// Whether the MPI library moves what make_put_source() describes; kUnsupported says what it does wrongly.
  /// Local.
  [[nodiscard]] virtual Status check_put_sources() { return {}; }
  /// The parts come one after the other, at most 1 GiB in all.
  [[nodiscard]] virtual std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes> parts) = 0;

  /// Makes room for so many transfers between two finish(); may throw. With it start_* allocate nothing.
  virtual void reserve_transfers(std::size_t sends, std::size_t receives) = 0;

  /// Tells each rank in `to` how many bytes this one has for it; each is there once. Returns how many ranks
  /// said so to this one, and puts those that fit into `from`, in any order. Collective, between finish() and
  /// the next start_*, after reserve_transfers() for as many sends. Costs what the own partners and a barrier
  /// cost, not what the group's size does.
  virtual std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) = 0;

  /// Non-blocking transfers between two ranks; those of one pair arrive in the order of sending. At most
  /// 1 GiB each. The memory stays untouched (send) or unread (receive) until finish or wait_any_receive says
  /// so.
  virtual void start_send(std::span<const std::byte> bytes, int to) = 0;
  virtual void start_receive(std::span<std::byte> bytes, int from) = 0;
  /// Position, among the receives started since the last finish(), of one that has just completed and was
  /// not returned before; -1 when all are complete.
  virtual int wait_any_receive() = 0;
  /// Returns when all started transfers are complete.
  virtual void finish() = 0;

  /// Notes: messages of one size that do not meet the transfers. A note that is started stays untouched until
  /// finish_notes() says that all have been sent.
  virtual void start_note(std::span<const std::byte> note, int to) = 0;
  /// The rank whose note has just been put into `note`; -1: none has come. Never waits.
  virtual int take_note(std::span<std::byte> note) = 0;
  virtual void finish_notes() = 0;

  /// From the next opening of a collective call on, ranks that do not come are named (roll_call.h). The same
  /// on all ranks.
  void set_roll_call(std::shared_ptr<RollCall> roll_call) { state_->roll_call = std::move(roll_call); }
  [[nodiscard]] RollCall* roll_call() const { return state_->roll_call.get(); }

  /// Who says which ranks keep others waiting (call_watch.h); may be null.
  void set_call_watch(std::shared_ptr<CallWatch> watch) { state_->call_watch = std::move(watch); }
  [[nodiscard]] CallWatch* call_watch() const { return state_->call_watch.get(); }

  /// Why there can be no more collective calls: every agree() returns it. Success: there can.
  [[nodiscard]] const Status& ended() const { return state_->ended; }
  void end(const Status& why) { state_->ended = why; }

  /// May throw. A guest leaves before it goes.
  void add_guest(Guest* guest) { state_->guests.push_back(guest); }
  void remove_guest(Guest* guest) { std::erase(state_->guests, guest); }

  /// What is set on this Comm; one that stands for it, see observed_comm(), has it in common.
  struct State {
    std::shared_ptr<RollCall> roll_call;
    std::shared_ptr<CallWatch> call_watch;
    std::vector<Guest*> guests;
    Status ended;
  };
  [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }

 protected:
  Comm() : state_(std::make_shared<State>()) {}
  explicit Comm(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void tell_guests() {
    for (Guest* guest : state_->guests) guest->comm_ends();
  }

 private:
  std::shared_ptr<State> state_;
};

/// A group of one.
std::unique_ptr<Comm> serial_comm();

}  // namespace esker
