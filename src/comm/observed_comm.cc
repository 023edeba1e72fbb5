#include "comm/observed_comm.h"

#include <numeric>
#include <utility>

namespace esker {
namespace {

class ObservedComm final : public Comm {
 public:
  ObservedComm(std::shared_ptr<Comm> comm, std::shared_ptr<const CommObserver> observer)
      : Comm(comm->state()), comm_(std::move(comm)), observer_(std::move(observer)) {
    Comm& node = comm_->node();
    if (&node != comm_.get()) {
      node_ = std::make_unique<ObservedComm>(std::shared_ptr<Comm>(comm_, &node), observer_);
    }
  }

  [[nodiscard]] int rank() const override { return comm_->rank(); }
  [[nodiscard]] int size() const override { return comm_->size(); }
  [[nodiscard]] Comm& node() override { return node_ ? *node_ : *this; }
  [[nodiscard]] std::span<const int> node_ranks() const override { return comm_->node_ranks(); }

  [[nodiscard]] std::unique_ptr<Comm> split(int group, int place) override {
    notify(CommCall::kGather, 2 * sizeof(int));
    std::shared_ptr<Comm> part = comm_->split(group, place);
    return part ? std::make_unique<ObservedComm>(std::move(part), observer_) : nullptr;
  }

  void barrier() override {
    notify(CommCall::kBarrier, 0);
    comm_->barrier();
  }
  bool meet_within(double limit_s, std::span<std::uint64_t> values) override {
    notify(CommCall::kReduce, values.size_bytes());
    return comm_->meet_within(limit_s, values);
  }
  void all_reduce_max(std::span<std::uint64_t> values) override {
    notify(CommCall::kReduce, values.size_bytes());
    comm_->all_reduce_max(values);
  }
  void all_reduce_sum(std::span<double> values) override {
    notify(CommCall::kReduce, values.size_bytes());
    comm_->all_reduce_sum(values);
  }
  void all_reduce_max(std::span<double> values) override {
    notify(CommCall::kReduce, values.size_bytes());
    comm_->all_reduce_max(values);
  }
  std::uint64_t sum_before(std::uint64_t mine) override {
    notify(CommCall::kReduce, sizeof mine);
    return comm_->sum_before(mine);
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    notify(CommCall::kBroadcast, rank() == root ? bytes.size() : 0);
    comm_->broadcast(bytes, root);
  }
  void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) override {
    notify(CommCall::kGather, sizeof mine);
    comm_->all_gather(mine, all);
  }
  void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t> lengths,
                  std::span<std::byte> joined) override {
    notify(CommCall::kGather, mine.size());
    comm_->all_gather(mine, lengths, joined);
  }
  void all_to_all(const PartsOfRanks<const std::byte>& sends,
                  const PartsOfRanks<std::byte>& receives) override {
    notify(CommCall::kAllToAll, std::accumulate(sends.counts.begin(), sends.counts.end(), std::size_t{0}));
    comm_->all_to_all(sends, receives);
  }

  [[nodiscard]] std::unique_ptr<RemoteMemory> make_remote_memory() override {
    return comm_->make_remote_memory();
  }
  [[nodiscard]] Status check_put_sources() override { return comm_->check_put_sources(); }
  [[nodiscard]] std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes> parts) override {
    return comm_->make_put_source(parts);
  }
  void reserve_transfers(std::size_t sends, std::size_t receives) override {
    comm_->reserve_transfers(sends, receives);
  }

  std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) override {
    notify(CommCall::kSizes, to.size() * sizeof(std::uint64_t));
    return comm_->exchange_sizes(to, from);
  }
  void start_send(std::span<const std::byte> bytes, int to) override {
    notify(CommCall::kSend, bytes.size());
    comm_->start_send(bytes, to);
  }
  void start_receive(std::span<std::byte> bytes, int from) override { comm_->start_receive(bytes, from); }
  int wait_any_receive() override { return comm_->wait_any_receive(); }
  void finish() override { comm_->finish(); }

  void start_control(std::span<const std::byte> message, int to) override {
    notify(CommCall::kControl, message.size());
    comm_->start_control(message, to);
  }
  int take_control(std::span<std::byte> message) override { return comm_->take_control(message); }
  void finish_controls() override { comm_->finish_controls(); }

 private:
  void notify(CommCall call, std::size_t bytes) const { (*observer_)(call, bytes); }

  std::shared_ptr<Comm> comm_;
  std::shared_ptr<const CommObserver> observer_;
  std::unique_ptr<ObservedComm> node_;
};

}  // namespace

std::shared_ptr<Comm> observed_comm(std::shared_ptr<Comm> comm, CommObserver observer) {
  return std::make_shared<ObservedComm>(std::move(comm),
                                        std::make_shared<const CommObserver>(std::move(observer)));
}

}  // namespace esker
