#include "transfer/run_transfer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/scratch.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "plan/ownership.h"
#include "transfer/run_message.h"
#include "transfer/run_rounds.h"
#include "transfer/run_store.h"

namespace esker {
namespace {

constexpr Index kPage = 4096;
constexpr Index kUnit = Index{1} << 20;       // larger ranges begin at multiples of it
constexpr Index kCellsOfRange = 16;           // so finely the loads of a range are known
constexpr Index kMostCells = Index{1} << 14;  // of a section of the file, whose loads are known at once
constexpr Index kMostRange = Index{8} << 20;
constexpr Index kMostMessage = Index{1} << 30;
constexpr Index kLeastRange = Index{64} << 10;

class RunTransfer {
 public:
  /// Of bytes of the file, so that the maximum over the ranks is that of all: the complement of the first,
  /// and the end.
  using Bounds = std::array<std::uint64_t, 2>;

  RunTransfer(Comm& comm, std::span<const ArrayBoxes> mine, File& file, const RunOptions& options)
      : comm_(comm), mine_(mine), file_(file), options_(options) {}

  /// Local: allocates what does not depend on other ranks. Returns own_bounds(0). May throw.
  Bounds prepare() {
    out_of_range_.resize(mine_.size());
    walks_.reserve(mine_.size());
    bounds_.reserve(mine_.size());
    for (const ArrayBoxes& boxes : mine_) {
      walks_.emplace_back(boxes);
      bounds_.push_back(walks_.back().bounds());
    }
    own_.reserve(kMostCells);
    loads_.most.reserve(kMostCells);
    loads_.all.reserve(kMostCells);
    return own_bounds(0);
  }

  /// `bounds`: what all ranks bring. Collective.
  Status run(Bounds bounds) {
    for (FileRange rest = range_of(bounds); rest.end > rest.begin; rest = range_of(bounds)) {
      const Index from = choose_section(rest);
      ESKER_RETURN_IF_ERROR(move_section());
      if (from >= rest.end) break;
      bounds = own_bounds(from);
      comm_.all_reduce_max(bounds);
    }
    return agree(comm_, stored_);
  }
  std::vector<bool> take_out_of_range() { return std::move(out_of_range_); }

 private:
  static FileRange range_of(const Bounds& bounds) {
    return {static_cast<Index>(~bounds[0]), static_cast<Index>(bounds[1])};
  }

  /// What this rank brings after byte `from`.
  [[nodiscard]] Bounds own_bounds(Index from) {
    FileRange mine{std::numeric_limits<Index>::max(), 0};
    for (std::size_t a = 0; a < mine_.size(); ++a) {
      if (bounds_[a].end <= from) continue;
      const FileRange part = bounds_[a].begin < from ? walks_[a].bounds(from) : bounds_[a];
      mine = {std::min(mine.begin, part.begin), std::max(mine.end, part.end)};
    }
    return {~static_cast<std::uint64_t>(mine.begin), static_cast<std::uint64_t>(mine.end)};
  }

  /// Divides what follows into cells, as far as one section reaches. Returns its end.
  Index choose_section(const FileRange& rest) {
    const Index bytes = rest.size();
    limits_.n_ranks = comm_.size();
    limits_.n_aggregators =
        options_.aggregators > 0
            ? std::min(options_.aggregators, comm_.size())
            : choose_aggregators(comm_.size(), bytes,
                                 options_.most_writers > 0 ? options_.most_writers : comm_.size());
    limits_.send_bytes = limits_.receive_bytes =
        static_cast<std::uint64_t>(std::min(options_.memory_bytes / 4, kMostMessage));
    const Index most = std::max(
        kPage,
        std::min(options_.buffer_bytes > 0 ? options_.buffer_bytes : kMostRange, options_.memory_bytes / 8));
    const Index even = std::max(bytes / limits_.n_aggregators, kLeastRange);
    const Index unit = even >= kUnit && most >= kUnit ? kUnit : kPage;
    loads_.begin = rest.begin / unit * unit;
    const Index needed = div_up(rest.end - loads_.begin, limits_.n_aggregators);
    const Index range = std::min(round_up(std::max(needed, kLeastRange), unit), most / unit * unit);
    limits_.range_cells = kCellsOfRange;
    loads_.cell_bytes = range / kCellsOfRange;
    n_cells_ = std::min(kMostCells, div_up(rest.end - loads_.begin, loads_.cell_bytes));
    return loads_.begin + n_cells_ * loads_.cell_bytes;
  }

  Status move_section() {
    std::vector<RunRound> rounds;
    count_cells();
    comm_.all_reduce_max(loads_.most);
    comm_.all_reduce_sum(loads_.all);
    ESKER_RETURN_IF_ERROR(all_do(comm_, "put", [&] {
      rounds = divide_rounds(loads_, limits_);
      return reserve(rounds);
    }));
    for (const RunRound& round : rounds) move(round);
    return {};
  }

  /// The bytes of this rank's messages, at most, in each cell. Does not allocate.
  void count_cells() {
    own_.assign(static_cast<std::size_t>(n_cells_), 0);
    const FileRange section{loads_.begin, loads_.begin + n_cells_ * loads_.cell_bytes};
    for (std::size_t a = 0; a < mine_.size(); ++a) {
      const Index size = size_bytes(mine_[a].type);
      if (!bounds_[a].meets(section)) continue;
      walks_[a].for_each_run(section, [&](const FileRun& run) {
        Index at = run.begin - loads_.begin;
        for (Index left = run.count; left > 0;) {
          const Index cell = at / loads_.cell_bytes;
          const Index n = std::min(left, div_up((cell + 1) * loads_.cell_bytes - at, size));
          own_[static_cast<std::size_t>(cell)] += sizeof(RunHead) + static_cast<std::uint64_t>(n * size);
          at += n * size;
          left -= n;
        }
      });
    }
    loads_.most.assign(own_.begin(), own_.end());
    loads_.all.assign(own_.begin(), own_.end());
  }

  [[nodiscard]] std::uint64_t own_bytes(const FileRange& range) const {
    std::uint64_t bytes = 0;
    for (Index at = range.begin; at < range.end; at += loads_.cell_bytes) {
      bytes += own_[static_cast<std::size_t>((at - loads_.begin) / loads_.cell_bytes)];
    }
    return bytes;
  }

  /// The rank that collects a range.
  [[nodiscard]] int aggregator(std::size_t number) const {
    return static_cast<int>(share(comm_.size(), static_cast<Index>(number), limits_.n_aggregators));
  }

  /// At most so many bytes of messages arrive for a range of a round.
  [[nodiscard]] Index received_bytes(const RunRound& round, const FileRange& range) const {
    double bytes = 0;
    const double n = round.last_rank - round.first_rank;
    for (Index at = range.begin; at < range.end; at += loads_.cell_bytes) {
      const auto cell = static_cast<std::size_t>((at - loads_.begin) / loads_.cell_bytes);
      bytes += std::min(loads_.all[cell], n * static_cast<double>(loads_.most[cell]));
    }
    return static_cast<Index>(bytes);
  }

  /// Memory for any of the rounds, which allocate nothing.
  Status reserve(const std::vector<RunRound>& rounds) {
    Index to_send = 0, to_receive = 0, largest = 0;  // `largest`: range that this rank collects
    for (const RunRound& round : rounds) {
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < round.ranges.size(); ++i) {
        bytes += own_bytes(round.ranges[i]);
        if (aggregator(i) != comm_.rank()) continue;
        largest = std::max(largest, round.ranges[i].size());
        to_receive = std::max(to_receive, received_bytes(round, round.ranges[i]));
      }
      to_send = std::max(to_send, static_cast<Index>(bytes));
    }
    // One rank may send and collect all of it.
    if (const Index most = std::min(options_.memory_bytes * 3 / 8, kMostMessage); to_send > most) {
      return error(
          Code::kOutOfMemory,
          "put: boxes of one rank that overlap have {} bytes at one place of the file, and the memory "
          "budget leaves {} for them; put them one after the other",
          to_send, most);
    }
    to_send_ = to_send_memory_.get(to_send).data();
    received_ = received_memory_.get(to_receive).data();
    if (largest > range_bytes_) {
      store_.emplace(largest);
      range_bytes_ = largest;
    }
    const auto n_ranges = static_cast<std::size_t>(limits_.n_aggregators);
    writers_.reserve(n_ranges);
    to_.reserve(n_ranges);
    from_.resize(static_cast<std::size_t>(comm_.size()));
    deliveries_.reserve(from_.size());
    comm_.reserve_transfers(n_ranges, from_.size());
    return {};
  }

  /// Collective; without agreement, because nothing can fail but storage.
  void move(const RunRound& round) {
    write_messages(round);
    to_.clear();
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      if (!writers_[i].message().empty()) to_.push_back({aggregator(i), writers_[i].message().size()});
    }
    const std::span<PeerSize> from(from_.data(), comm_.exchange_sizes(to_, from_));
    std::sort(from.begin(), from.end(), [](const PeerSize& a, const PeerSize& b) { return a.peer < b.peer; });
    deliveries_.clear();
    std::byte* next = received_;
    for (const PeerSize& each : from) {
      const std::span<std::byte> bytes(next, static_cast<std::size_t>(each.bytes));
      deliveries_.push_back({each.peer, bytes});
      comm_.start_receive(bytes, each.peer);
      next += bytes.size();
    }
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      if (!writers_[i].message().empty()) comm_.start_send(writers_[i].message(), aggregator(i));
    }
    comm_.finish();
    if (!deliveries_.empty() && stored_.ok()) stored_ = guarded("put", [&] { return store(round); });
  }

  Status store(const RunRound& round) {
    for (std::size_t i = 0; i < round.ranges.size(); ++i) {
      if (aggregator(i) == comm_.rank())
        return store_->store(file_, round.ranges[i], options_.end_of_array, deliveries_);
    }
    return {};
  }

  /// Of this rank, one for each range, in `writers_`.
  void write_messages(const RunRound& round) {
    writers_.clear();
    if (comm_.rank() < round.first_rank || comm_.rank() >= round.last_rank) return;
    std::byte* memory = to_send_;
    for (const FileRange& range : round.ranges) {
      writers_.emplace_back(memory, range.begin);
      memory += own_bytes(range);
    }
    const FileRange all{round.ranges.front().begin, round.ranges.back().end};
    for (std::size_t a = 0; a < mine_.size(); ++a) {
      if (!bounds_[a].meets(all)) continue;
      bool all_fit = true;
      std::size_t i = 0;
      walks_[a].for_each_run(all, [&](FileRun run) {
        const Index size = size_bytes(mine_[a].type);
        while (run.count > 0) {
          if (run.begin < round.ranges[i].begin || run.begin >= round.ranges[i].end) {
            i = range_at(round, run.begin);
          }
          FileRun part = run;
          part.count = std::min(run.count, div_up(round.ranges[i].end - run.begin, size));
          all_fit &= writers_[i].append(mine_[a], part);
          run.begin += part.count * size;
          run.values += part.count * run.stride_bytes;
          run.count -= part.count;
        }
      });
      if (!all_fit) out_of_range_[a] = true;
    }
  }

  /// The range of a round in which a sample begins.
  static std::size_t range_at(const RunRound& round, Index begin) {
    const auto after = std::upper_bound(round.ranges.begin(), round.ranges.end(), begin,
                                        [](Index at, const FileRange& range) { return at < range.begin; });
    return static_cast<std::size_t>(after - round.ranges.begin()) - 1;
  }

  Comm& comm_;
  std::span<const ArrayBoxes> mine_;
  File& file_;
  RunOptions options_;
  std::vector<BoxWalk> walks_;
  std::vector<FileRange> bounds_;  // [position in mine_]
  std::vector<bool> out_of_range_;
  RunLimits limits_;
  Index n_cells_ = 0;
  CellLoads loads_;
  std::vector<std::uint64_t> own_;  // [cell] bytes of this rank's messages
  Scratch to_send_memory_, received_memory_;
  std::byte *to_send_ = nullptr, *received_ = nullptr;  // of a round
  std::vector<RunWriter> writers_;                      // of the messages of a round, one for each range
  std::vector<PeerSize> to_, from_;                     // their sizes
  std::vector<Delivery> deliveries_;
  std::optional<RunStore> store_;
  Index range_bytes_ = 0;
  Status stored_;  // the first error of this rank
};

}  // namespace

Result<std::vector<bool>> put_runs(Comm& comm, const Status& local, std::span<const ArrayBoxes> mine,
                                   File& file, const RunOptions& options) {
  std::unique_ptr<RunTransfer> transfer;
  RunTransfer::Bounds bounds{};
  ESKER_RETURN_IF_ERROR(all_do(comm, "put", bounds, [&] {
    if (local.ok()) {
      transfer = std::make_unique<RunTransfer>(comm, mine, file, options);
      bounds = transfer->prepare();
    }
    return local;
  }));
  ESKER_RETURN_IF_ERROR(transfer->run(bounds));
  return transfer->take_out_of_range();
}

}  // namespace esker
