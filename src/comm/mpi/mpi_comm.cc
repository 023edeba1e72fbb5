// The MPI implementation of Comm, on a private duplicate of the caller's communicator.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/max_part.h"
#include "comm/call_watch.h"
#include "comm/comm.h"
#include "comm/mpi/datatype_check.h"
#include "comm/mpi/mpi_put_source.h"
#include "comm/mpi/mpi_remote_memory.h"
#include "esker/mpi.hpp"
#include "store/mpiio/mpi_io_store.h"

namespace esker {
namespace {

constexpr int kTag = 1;      // one tag suffices: messages of a pair of ranks do not overtake each other
constexpr int kSizeTag = 2;  // and the next tag, alternating
constexpr int kControlTag = 4;

class MpiComm final : public Comm {
 public:
  /// Takes ownership of `comm` and of `node`, the ranks that share memory with this one; without `node`, all
  /// ranks do.
  explicit MpiComm(MPI_Comm comm, std::unique_ptr<MpiComm> node = {}) : comm_(comm), node_(std::move(node)) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    counts_.resize(size_);
    starts_.resize(size_);
    node_ranks_.resize(node_ ? node_->size_ : size_);
    std::iota(node_ranks_.begin(), node_ranks_.end(), 0);
    if (node_) MPI_Allgather(&rank_, 1, MPI_INT, node_ranks_.data(), 1, MPI_INT, node_->comm_);
  }
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;
  ~MpiComm() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (meetings_left_ > 0) (void)meetings_.release();
    if (finalized) return;
    if (finalize_key_ != MPI_KEYVAL_INVALID) {
      is_watching_ = false;  // deleting the attribute explicitly makes the same call
      MPI_Comm_delete_attr(MPI_COMM_SELF, finalize_key_);
      MPI_Comm_free_keyval(&finalize_key_);
    }
    if (ended().ok()) MPI_Comm_free(&comm_);  // else ranks may still be in a call on it
  }

  /// Informs the end_listeners of MPI_Finalize, which begins by deleting the attributes of MPI_COMM_SELF.
  void watch_finalize() {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &MpiComm::finalize, &finalize_key_, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key_, this);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  Result<std::shared_ptr<Store>> store_by_mpi_io(std::shared_ptr<Store> inner,
                                                 const std::string& hints) override {
    return mpi_io_store(std::move(inner), hints);
  }

  [[nodiscard]] Comm& node() override { return node_ ? *node_ : *this; }
  [[nodiscard]] std::span<const int> node_ranks() const override { return node_ranks_; }

  [[nodiscard]] std::unique_ptr<Comm> split(int group, int place) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(comm_, group < 0 ? MPI_UNDEFINED : group, place, &part);
    return part == MPI_COMM_NULL ? nullptr : std::make_unique<MpiComm>(part);
  }

  void barrier() override {
    const CallWatch::Wait wait(call_watch());
    MPI_Barrier(comm_);
  }

  // A request that has not completed in time is left to MPI, with the memory that MPI may still write to. MPI
  // completes it during any later MPI call of this rank.
  bool meet_within(double limit_s, std::span<std::uint64_t> values) override {
    const CallWatch::Wait wait(call_watch());
    auto& meeting = (*meetings_)[meetings_left_];
    std::copy(values.begin(), values.end(), meeting.begin());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, meeting.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_MAX,
                   comm_, &request);
    if (limit_s <= 0) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!completes_within(limit_s, request)) {
      meetings_left_ = std::min(meetings_left_ + 1, meetings_->size() - 1);
      return false;
    }
    std::copy_n(meeting.begin(), values.size(), values.begin());
    return true;
  }
  void all_reduce_max(std::span<std::uint64_t> values) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_MAX, comm_);
  }
  void all_reduce_sum(std::span<double> values) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_);
  }
  void all_reduce_max(std::span<double> values) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm_);
  }

  std::uint64_t sum_before(std::uint64_t mine) override {
    const CallWatch::Wait wait(call_watch());
    std::uint64_t sum = 0;
    MPI_Exscan(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return rank_ == 0 ? 0 : sum;  // MPI leaves the result on rank 0 undefined
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    const CallWatch::Wait wait(call_watch());
    broadcast_parts(bytes, root);
  }

  void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm_);
  }

  void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t> lengths,
                  std::span<std::byte> joined) override {
    const CallWatch::Wait wait(call_watch());
    if (joined.size() <= max_part_bytes()) {
      std::copy(lengths.begin(), lengths.end(), counts_.begin());
      std::exclusive_scan(counts_.begin(), counts_.end(), starts_.begin(), 0);
      MPI_Allgatherv(mine.data(), counts_[rank_], MPI_BYTE, joined.data(), counts_.data(), starts_.data(),
                     MPI_BYTE, comm_);
      return;
    }
    for (int r = 0; r < size_; ++r) {
      const auto part = joined.first(lengths[r]);
      if (r == rank_) std::copy(mine.begin(), mine.end(), part.begin());
      broadcast_parts(part, r);
      joined = joined.subspan(part.size());
    }
  }

  void all_to_all(const PartsOfRanks<const std::byte>& sends,
                  const PartsOfRanks<std::byte>& receives) override {
    const CallWatch::Wait wait(call_watch());
    MPI_Alltoallv(sends.bytes, sends.counts.data(), sends.starts.data(), MPI_BYTE, receives.bytes,
                  receives.counts.data(), receives.starts.data(), MPI_BYTE, comm_);
  }

  std::unique_ptr<RemoteMemory> make_remote_memory() override {
    return mpi_remote_memory(comm_, call_watch());
  }
  [[nodiscard]] Status check_put_sources() override { return check_datatypes(); }
  std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes> parts) override {
    return std::make_unique<MpiPutSource>(parts);
  }

  void reserve_transfers(std::size_t sends, std::size_t receives) override {
    sends_.reserve(sends);
    receives_.reserve(receives);
  }

  // Hoefler, Siebert, Lumsdaine: Scalable Communication Protocols for Dynamic Sparse Data Exchange, 2010
  // (NBX). A synchronous send completes when it has been received. The barrier ends when the sends of all
  // ranks have completed. A rank may begin the next exchange before others have seen the end of this one, so
  // the next exchange uses another tag.
  std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) override {
    const CallWatch::Wait wait(call_watch());
    const int tag = kSizeTag + static_cast<int>(num_size_exchanges_++ % 2);
    for (const PeerSize& size : to) {
      MPI_Issend(&size.bytes, 1, MPI_UINT64_T, size.peer, tag, comm_, &sends_.emplace_back());
    }
    std::size_t n_told = 0;
    MPI_Request all_are_told = MPI_REQUEST_NULL;
    for (int done = 0; done == 0;) {
      n_told += receive_size(tag, from.subspan(std::min(n_told, from.size())));
      if (all_are_told != MPI_REQUEST_NULL) {
        MPI_Test(&all_are_told, &done, MPI_STATUS_IGNORE);
        continue;
      }
      int mine_are_told = 0;
      MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &mine_are_told, MPI_STATUSES_IGNORE);
      if (mine_are_told != 0) MPI_Ibarrier(comm_, &all_are_told);
    }
    sends_.clear();
    return n_told;
  }

  void start_send(std::span<const std::byte> bytes, int to) override {
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, kTag, comm_,
              &sends_.emplace_back());
  }
  void start_receive(std::span<std::byte> bytes, int from) override {
    MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, kTag, comm_,
              &receives_.emplace_back());
  }
  int wait_any_receive() override {
    const CallWatch::Wait wait(call_watch());
    int position = MPI_UNDEFINED;
    MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &position, MPI_STATUS_IGNORE);
    return position == MPI_UNDEFINED ? -1 : position;
  }
  void finish() override {
    const CallWatch::Wait wait(call_watch());
    MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    receives_.clear();
    sends_.clear();
  }

  void start_control(std::span<const std::byte> message, int to) override {
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, kControlTag, comm_,
              &notes_.emplace_back());
  }
  int take_control(std::span<std::byte> message) override {
    int has_come = 0;
    MPI_Status from{};
    MPI_Iprobe(MPI_ANY_SOURCE, kControlTag, comm_, &has_come, &from);
    if (!has_come) return -1;
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, from.MPI_SOURCE, kControlTag, comm_,
             MPI_STATUS_IGNORE);
    return from.MPI_SOURCE;
  }
  void finish_controls() override {
    const CallWatch::Wait wait(call_watch());
    MPI_Waitall(static_cast<int>(notes_.size()), notes_.data(), MPI_STATUSES_IGNORE);
    notes_.clear();
  }

 private:
  void broadcast_parts(std::span<std::byte> bytes, int root) {
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), max_part_bytes());
      MPI_Bcast(bytes.data(), static_cast<int>(part), MPI_BYTE, root, comm_);
      bytes = bytes.subspan(part);
    }
  }

  static bool completes_within(double limit_s, MPI_Request& request) {
    const Stopwatch watch;
    for (int is_complete = 0;;) {
      MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
      if (is_complete != 0) return true;
      if (watch.elapsed_s() > limit_s) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  /// Receives one size if one has arrived; returns how many it received.
  std::size_t receive_size(int tag, std::span<PeerSize> room) {
    int has_come = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &has_come, &status);
    if (has_come == 0) return 0;
    PeerSize size{status.MPI_SOURCE, 0};
    MPI_Recv(&size.bytes, 1, MPI_UINT64_T, size.peer, tag, comm_, MPI_STATUS_IGNORE);
    if (!room.empty()) room.front() = size;
    return 1;
  }

  static int finalize(MPI_Comm, int, void* self, void*) {
    auto& comm = *static_cast<MpiComm*>(self);
    if (!comm.is_watching_) return MPI_SUCCESS;
    comm.end({Code::kWrongOrder, "MPI has been finalized"});
    comm.notify_end_listeners();
    return MPI_SUCCESS;
  }

  MPI_Comm comm_;
  int finalize_key_ = MPI_KEYVAL_INVALID;
  bool is_watching_ = true;
  std::unique_ptr<MpiComm> node_;
  std::vector<int> node_ranks_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> counts_, starts_;  // per rank, for gathering
  using Meetings = std::array<std::array<std::uint64_t, kMostMeetingValues>, 2>;
  std::unique_ptr<Meetings> meetings_ = std::make_unique<Meetings>();
  std::size_t meetings_left_ = 0;  // MPI may still write to these
  unsigned num_size_exchanges_ = 0;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> notes_;
};

/// The ranks of `comm` on this rank's node. Tests set ESKER_TEST_RANKS_PER_NODE to split one node into
/// several.
MPI_Comm split_by_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const char* per_node = std::getenv("ESKER_TEST_RANKS_PER_NODE");
  if (!per_node) return node;
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(node, rank / std::max(1, std::atoi(per_node)), rank, &part);
  MPI_Comm_free(&node);
  return part;
}

}  // namespace

Communicator mpi_communicator(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL);  // the caller's may be MPI_ERRORS_RETURN
  auto node = std::make_unique<MpiComm>(split_by_node(copy));
  auto made = std::make_shared<MpiComm>(copy, std::move(node));
  made->watch_finalize();
  CallWatch::start(*made);
  return Communicator(std::move(made));
}

}  // namespace esker
