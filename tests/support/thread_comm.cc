#include "support/thread_comm.h"

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

namespace esker::testing_support {
namespace {

/// What the ranks share: a board for collectives, a mailbox per pair for messages.
struct Group {
  explicit Group(int n) : size(n), meet(n), board(static_cast<std::size_t>(n)) {}
  int size;
  std::barrier<> meet;
  std::vector<std::vector<std::byte>> board;
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> mail;  // (from, to)
};

class ThreadComm final : public Comm {
 public:
  ThreadComm(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank), all_ranks_(static_cast<std::size_t>(group_->size)) {
    std::iota(all_ranks_.begin(), all_ranks_.end(), 0);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return group_->size; }
  [[nodiscard]] Comm& node() override { return *this; }
  [[nodiscard]] std::span<const int> node_ranks() const override { return all_ranks_; }
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

  void start_send(std::span<const std::byte> bytes, int to) override {
    const std::scoped_lock lock(group_->mutex);
    group_->mail[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
    group_->arrived.notify_all();
  }
  void start_receive(std::span<std::byte> bytes, int from) override { receives_.emplace_back(bytes, from); }
  int wait_any_receive() override {
    if (next_ == receives_.size()) return -1;
    const auto [bytes, from] = receives_[next_];
    std::unique_lock lock(group_->mutex);
    auto& box = group_->mail[{from, rank_}];
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
  std::vector<int> all_ranks_;
  std::vector<std::pair<std::span<std::byte>, int>> receives_;
  std::size_t next_ = 0;
};

}  // namespace

void run_ranks(int n_ranks, const std::function<void(const Communicator&)>& body) {
  auto group = std::make_shared<Group>(n_ranks);
  std::vector<std::jthread> threads;
  for (int r = 0; r < n_ranks; ++r) {
    threads.emplace_back([&, r] { body(Communicator(std::make_shared<ThreadComm>(group, r))); });
  }
}

}  // namespace esker::testing_support
