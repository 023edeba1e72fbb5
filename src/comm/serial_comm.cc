#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "comm/comm.h"
#include "store/store.h"

namespace esker {
namespace {

/// No other rank exists, so no rank puts anything.
class SerialRemoteMemory final : public RemoteMemory {
 public:
  bool expose(std::span<std::byte>) override { return true; }
  void withdraw() override {}
  void put(std::span<const std::byte>, int, std::size_t) override {}
  void put(const PutSource&, const std::byte*, int, std::size_t) override {}
  void get(std::span<std::byte>, int, std::size_t) override {}
  void fence() override {}
  void fence_in(Comm&) override {}
  void post(std::span<const int>) override {}
  void start(std::span<const int>) override {}
  void complete() override {}
  void wait() override {}
};

/// A single rank, which may also send to itself.
class SerialComm final : public Comm {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] Comm& node() override { return *this; }
  [[nodiscard]] std::span<const int> node_ranks() const override { return kOnlyRank; }
  [[nodiscard]] std::unique_ptr<Comm> split(int group, int /*place*/) override {
    return group < 0 ? nullptr : serial_comm();
  }
  void barrier() override {}
  bool meet_within(double, std::span<std::uint64_t>) override { return true; }
  void all_reduce_max(std::span<std::uint64_t>) override {}
  void all_reduce_sum(std::span<double>) override {}
  void all_reduce_max(std::span<double>) override {}
  std::uint64_t sum_before(std::uint64_t) override { return 0; }
  void broadcast(std::span<std::byte>, int) override {}

  void all_gather(std::uint64_t mine, std::span<std::uint64_t> all) override { all[0] = mine; }
  void all_gather(std::span<const std::byte> mine, std::span<const std::uint64_t>,
                  std::span<std::byte> joined) override {
    std::copy(mine.begin(), mine.end(), joined.begin());
  }

  void all_to_all(const PartsOfRanks<const std::byte>& sends,
                  const PartsOfRanks<std::byte>& receives) override {
    std::copy_n(sends.bytes + sends.starts[0], sends.counts[0], receives.bytes + receives.starts[0]);
  }
  std::unique_ptr<RemoteMemory> make_remote_memory() override {
    return std::make_unique<SerialRemoteMemory>();
  }
  std::unique_ptr<PutSource> make_put_source(std::span<const SpreadBytes>) override {
    return std::make_unique<PutSource>();
  }

  void reserve_transfers(std::size_t sends, std::size_t receives) override {
    sends_.reserve(sends);
    receives_.reserve(receives);
  }
  std::size_t exchange_sizes(std::span<const PeerSize> to, std::span<PeerSize> from) override {
    std::copy_n(to.begin(), std::min(to.size(), from.size()), from.begin());
    return to.size();
  }
  void start_send(std::span<const std::byte> bytes, int) override { sends_.push_back(bytes); }
  void start_receive(std::span<std::byte> bytes, int) override { receives_.push_back(bytes); }

  int wait_any_receive() override {
    if (next_ == receives_.size()) return -1;
    std::copy_n(sends_[next_].data(), receives_[next_].size(), receives_[next_].data());
    return static_cast<int>(next_++);
  }

  void finish() override {
    while (wait_any_receive() >= 0) {
    }
    sends_.clear();
    receives_.clear();
    next_ = 0;
  }

  // No other rank exists that could receive a message.
  void start_control(std::span<const std::byte>, int) override {}
  int take_control(std::span<std::byte>) override { return -1; }
  void finish_controls() override {}

 private:
  static constexpr std::array kOnlyRank{0};
  std::vector<std::span<const std::byte>> sends_;
  std::vector<std::span<std::byte>> receives_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::shared_ptr<Store>> Comm::store_by_mpi_io(std::shared_ptr<Store> /*inner*/,
                                                     const std::string& /*hints*/) {
  return error(Code::kUnsupported,
               "storage=mpiio: expected an MPI communicator, found a serial one; set storage=posix");
}

std::unique_ptr<Comm> serial_comm() { return std::make_unique<SerialComm>(); }

}  // namespace esker
