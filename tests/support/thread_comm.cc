#include "support/thread_comm.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>

namespace esker::testing_support {
namespace {

/// State that the ranks share: a board for collectives, and a queue of messages per pair.
struct Group {
  explicit Group(int n) : size(n), meet(n), board(static_cast<std::size_t>(n)) {}
  int size;
  std::barrier<> meet;
  std::vector<std::vector<std::byte>> board;
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages;  // (from, to)
  std::map<int, std::deque<std::pair<int, std::vector<std::byte>>>> controls;  // by receiver
};

class ThreadPutSource final : public PutSource {
 public:
  explicit ThreadPutSource(std::span<const SpreadBytes> parts) : parts_(parts.begin(), parts.end()) {}

  void copy_to(std::span<std::byte> target, const std::byte* base) const {
    for (const SpreadBytes& part : parts_) {
      target = copy(part, part.num_axes, base + part.offset_bytes, target);
    }
  }

 private:
  /// The blocks of the first `num_axes` axes; returns what is left of `target`.
  static std::span<std::byte> copy(const SpreadBytes& part, int num_axes, const std::byte* from,
                                   std::span<std::byte> target) {
    if (num_axes == 0) {
      std::memcpy(target.first(static_cast<std::size_t>(part.block_bytes)).data(), from,
                  static_cast<std::size_t>(part.block_bytes));
      return target.subspan(static_cast<std::size_t>(part.block_bytes));
    }
    const SpreadBytes::Axis axis = part.axes[static_cast<std::size_t>(num_axes - 1)];
    for (Index i = 0; i < axis.count; ++i) {
      target = copy(part, num_axes - 1, from + i * axis.stride_bytes, target);
    }
    return target;
  }

  std::vector<SpreadBytes> parts_;
};

/// The memory of one rank; the others have its address.
class ThreadRemoteMemory final : public RemoteMemory {
 public:
  explicit ThreadRemoteMemory(Comm& comm)
      : comm_(comm), all_(static_cast<std::size_t>(comm.size())), posted_(all_.size()), done_(all_.size()) {}

  bool expose(std::span<std::byte> memory) override {
    memory_ = memory;
    comm_.all_gather(reinterpret_cast<std::uintptr_t>(this), all_);
    return true;
  }
  void withdraw() override {
    comm_.barrier();
    memory_ = {};
  }
  void put(std::span<const std::byte> bytes, int to, std::size_t offset_bytes) override {
    const std::span<std::byte> target = of(to).memory_.subspan(offset_bytes, bytes.size());
    std::copy(bytes.begin(), bytes.end(), target.begin());
  }
  void put(const PutSource& source, const std::byte* base, int to, std::size_t offset_bytes) override {
    static_cast<const ThreadPutSource&>(source).copy_to(of(to).memory_.subspan(offset_bytes), base);
  }
  void get(std::span<std::byte> bytes, int from, std::size_t offset_bytes) override {
    const std::span<std::byte> source = of(from).memory_.subspan(offset_bytes, bytes.size());
    std::copy(source.begin(), source.end(), bytes.begin());
  }
  void fence() override { comm_.barrier(); }
  void fence_in(Comm& group) override { group.barrier(); }

  void post(std::span<const int> sources) override {
    waits_for_ = sources;
    const std::scoped_lock lock(mutex_);
    for (const int source : sources) ++posted_[static_cast<std::size_t>(source)];
    changed_.notify_all();
  }
  void start(std::span<const int> targets) override {
    targets_ = targets;
    for (const int target : targets) of(target).take(of(target).posted_, comm_.rank());
  }
  void complete() override {
    for (const int target : targets_) {
      ThreadRemoteMemory& memory = of(target);
      const std::scoped_lock lock(memory.mutex_);
      ++memory.done_[static_cast<std::size_t>(comm_.rank())];
      memory.changed_.notify_all();
    }
  }
  void wait() override {
    for (const int source : waits_for_) take(done_, source);
  }

 private:
  [[nodiscard]] ThreadRemoteMemory& of(int rank) const {
    return *reinterpret_cast<ThreadRemoteMemory*>(all_[static_cast<std::size_t>(rank)]);
  }
  /// Waits for a message of that rank.
  void take(std::vector<int>& counts, int rank) {
    int& count = counts[static_cast<std::size_t>(rank)];
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count > 0; });
    --count;
  }

  Comm& comm_;
  std::vector<std::uint64_t> all_;  // addresses, per rank
  std::span<std::byte> memory_;
  std::span<const int> waits_for_, targets_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> posted_, done_;  // per rank, not yet taken
};

class ThreadComm final : public Comm {
 public:
  /// Without `node`, all ranks of the group share one.
  ThreadComm(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank), node_ranks_(static_cast<std::size_t>(group_->size)) {
    std::iota(node_ranks_.begin(), node_ranks_.end(), 0);
  }
  ThreadComm(std::shared_ptr<Group> group, int rank, std::unique_ptr<ThreadComm> node,
             std::vector<int> node_ranks)
      : group_(std::move(group)), rank_(rank), node_(std::move(node)), node_ranks_(std::move(node_ranks)) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return group_->size; }
  [[nodiscard]] Comm& node() override { return node_ ? *node_ : *this; }
  [[nodiscard]] std::span<const int> node_ranks() const override { return node_ranks_; }
  [[nodiscard]] std::unique_ptr<Comm> split(int group, int place) override {
    const std::array<int, 2> mine{group, place};
    const auto all = post(std::as_bytes(std::span(mine)));
    std::vector<std::pair<int, int>> members;  // place, rank
    for (int r = 0; r < size(); ++r) {
      std::array<int, 2> theirs{};
      std::memcpy(theirs.data(), all[static_cast<std::size_t>(r)].data(), sizeof theirs);
      if (theirs[0] == group) members.emplace_back(theirs[1], r);
    }
    std::sort(members.begin(), members.end());
    // The first member makes the group; the others take it from its stack.
    auto made =
        members[0].second == rank_ ? std::make_shared<Group>(static_cast<int>(members.size())) : nullptr;
    std::vector<std::uint64_t> addresses(static_cast<std::size_t>(size()));
    all_gather(reinterpret_cast<std::uintptr_t>(&made), addresses);
    const auto joined =
        *reinterpret_cast<std::shared_ptr<Group>*>(addresses[static_cast<std::size_t>(members[0].second)]);
    barrier();
    if (group < 0) return nullptr;
    const auto mine_at = std::find(members.begin(), members.end(), std::pair(place, rank_)) - members.begin();
    return std::make_unique<ThreadComm>(joined, static_cast<int>(mine_at));
  }
  void barrier() override { group_->meet.arrive_and_wait(); }

  void all_reduce_max(std::span<std::uint64_t> values) override {
    reduce(values, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }
  void all_reduce_sum(std::span<double> values) override {
    reduce(values, [](double a, double b) { return a + b; });
  }
  void all_reduce_max(std::span<double> values) override {
    reduce(values, [](double a, double b) { return std::max(a, b); });
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    const auto all = post(bytes);
    std::copy(all[root].begin(), all[root].end(), bytes.begin());
  }
  void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) override {
    const auto posted = post(std::as_bytes(std::span(&mine, 1)));
    for (std::size_t r = 0; r < all.size(); ++r) std::memcpy(&all[r], posted[r].data(), sizeof(mine));
  }
  void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t>,
                  std::span<std::byte> joined) override {
    auto next = joined.begin();
    for (const auto& bytes : post(mine)) next = std::copy(bytes.begin(), bytes.end(), next);
  }
  void all_to_all(const PartsOfRanks<const std::byte>& sends,
                  const PartsOfRanks<std::byte>& receives) override {
    for (int r = 0; r < size(); ++r) {
      start_send({sends.bytes + sends.starts[r], static_cast<std::size_t>(sends.counts[r])}, r);
      start_receive({receives.bytes + receives.starts[r], static_cast<std::size_t>(receives.counts[r])}, r);
    }
    finish();
  }
  std::unique_ptr<RemoteMemory> make_remote_memory() override {
    return std::make_unique<ThreadRemoteMemory>(*this);
  }
  std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes> parts) override {
    return std::make_unique<ThreadPutSource>(parts);
  }
  void reserve_transfers(std::size_t, std::size_t) override {}

  std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) override {
    const auto posted = post(std::as_bytes(to));
    std::size_t n_told = 0;
    for (std::size_t r = 0; r < posted.size(); ++r) {
      for (std::size_t i = 0; i < posted[r].size(); i += sizeof(PeerSize)) {
        PeerSize size;
        std::memcpy(&size, posted[r].data() + i, sizeof(size));
        if (size.peer != rank_) continue;
        if (n_told < from.size()) from[n_told] = {static_cast<int>(r), size.bytes};
        ++n_told;
      }
    }
    return n_told;
  }

  /// Unlike MPI, it may run out of memory: then no receive waits for the message.
  void start_send(std::span<const std::byte> bytes, int to) override {
    const std::scoped_lock lock(group_->mutex);
    try {
      group_->messages[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
    } catch (const std::bad_alloc&) {
      receives_.clear();
      next_ = 0;
      throw;
    }
    group_->arrived.notify_all();
  }
  void start_receive(std::span<std::byte> bytes, int from) override { receives_.emplace_back(bytes, from); }
  int wait_any_receive() override {
    if (next_ == receives_.size()) return -1;
    const auto [bytes, from] = receives_[next_];
    std::unique_lock lock(group_->mutex);
    auto& box = group_->messages[{from, rank_}];
    group_->arrived.wait(lock, [&box = box] { return !box.empty(); });
    if (box.front().size() != bytes.size()) std::abort();  // sender and receiver disagree on the plan
    std::copy(box.front().begin(), box.front().end(), bytes.begin());
    box.pop_front();
    return static_cast<int>(next_++);
  }
  void finish() override {
    while (wait_any_receive() >= 0) {
    }
    receives_.clear();
    next_ = 0;
  }

  bool meet_within(double, std::span<std::uint64_t> values) override {
    all_reduce_max(values);
    return true;
  }
  std::uint64_t sum_before(std::uint64_t mine) override {
    const auto all = post(std::as_bytes(std::span(&mine, 1)));
    std::uint64_t sum = 0;
    for (int r = 0; r < rank_; ++r) {
      std::uint64_t value = 0;
      std::memcpy(&value, all[static_cast<std::size_t>(r)].data(), sizeof value);
      sum += value;
    }
    return sum;
  }

  void start_control(std::span<const std::byte> message, int to) override {
    const std::scoped_lock lock(group_->mutex);
    group_->controls[to].emplace_back(rank_, std::vector<std::byte>(message.begin(), message.end()));
  }
  int take_control(std::span<std::byte> message) override {
    const std::scoped_lock lock(group_->mutex);
    auto& mine = group_->controls[rank_];
    if (mine.empty()) return -1;
    const auto [from, bytes] = std::move(mine.front());
    mine.pop_front();
    std::copy(bytes.begin(), bytes.end(), message.begin());
    return from;
  }
  void finish_controls() override {}

 private:
  /// Every rank's bytes.
  std::vector<std::vector<std::byte>> post(std::span<const std::byte> mine) {
    group_->board[rank_].assign(mine.begin(), mine.end());
    barrier();
    auto all = group_->board;
    barrier();
    return all;
  }

  template <class T, class Combine>
  void reduce(std::span<T> values, Combine combine) {
    const auto all = post(std::as_bytes(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      T result{};
      for (std::size_t r = 0; r < all.size(); ++r) {
        T value;
        std::memcpy(&value, all[r].data() + i * sizeof(T), sizeof(T));
        result = r == 0 ? value : combine(result, value);
      }
      values[i] = result;
    }
  }

  std::shared_ptr<Group> group_;
  int rank_;
  std::unique_ptr<ThreadComm> node_;
  std::vector<int> node_ranks_;
  std::vector<std::pair<std::span<std::byte>, int>> receives_;
  std::size_t next_ = 0;
};

}  // namespace

void run_ranks(const std::vector<int>& nodes, const std::function<void(const Communicator&)>& body) {
  const auto group = std::make_shared<Group>(static_cast<int>(nodes.size()));
  std::map<int, std::vector<int>> ranks_of;
  for (std::size_t r = 0; r < nodes.size(); ++r) ranks_of[nodes[r]].push_back(static_cast<int>(r));
  std::vector<std::jthread> threads;
  for (const auto& [node, ranks] : ranks_of) {
    const auto group_of_node = std::make_shared<Group>(static_cast<int>(ranks.size()));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back([&body, &ranks = ranks, group, group_of_node, i] {
        auto of_node = std::make_unique<ThreadComm>(group_of_node, static_cast<int>(i));
        body(Communicator(std::make_shared<ThreadComm>(group, ranks[i], std::move(of_node), ranks)));
      });
    }
  }
}

void run_ranks(int n_ranks, const std::function<void(const Communicator&)>& body, int ranks_per_node) {
  std::vector<int> nodes;
  for (int r = 0; r < n_ranks; ++r) nodes.push_back(ranks_per_node > 0 ? r / ranks_per_node : 0);
  run_ranks(nodes, body);
}

}  // namespace esker::testing_support
