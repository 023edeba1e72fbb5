#include "transfer/run_rounds.h"

#include <algorithm>
#include <cstddef>

#include "base/checked.h"

namespace esker {
namespace {

class RoundMaker {
 public:
  RoundMaker(const CellLoads& loads, const RunLimits& limits) : loads_(loads), limits_(limits) {}

  std::vector<RunRound> make() {
    const Index n_cells = std::ssize(loads_.most);
    for (Index c = 0; c < n_cells;) {
      if (most(c) == 0) {
        ++c;
      } else if (all(c) > static_cast<double>(limits_.receive_bytes)) {
        in_groups(c++);
      } else {
        c = add_range(c, n_cells);
      }
    }
    return std::move(rounds_);
  }

 private:
  [[nodiscard]] std::uint64_t most(Index cell) const { return loads_.most[static_cast<std::size_t>(cell)]; }
  [[nodiscard]] double all(Index cell) const { return loads_.all[static_cast<std::size_t>(cell)]; }
  [[nodiscard]] FileRange range_of(Index first, Index last) const {
    return {loads_.begin + first * loads_.cell_bytes, loads_.begin + last * loads_.cell_bytes};
  }

  /// Adds a range that begins at a cell to the last round, or to a new one. Returns the cell after it.
  Index add_range(Index first, Index n_cells) {
    const Index end = std::min(n_cells, (first / limits_.range_cells + 1) * limits_.range_cells);
    double received = 0;
    std::uint64_t sent = 0;
    Index next = first, last = first;
    for (; next < end; ++next) {
      const bool fits = received + all(next) <= static_cast<double>(limits_.receive_bytes) &&
                        sent + most(next) <= limits_.send_bytes;
      if (!fits && next > first) break;
      received += all(next);
      sent += most(next);
      if (most(next) > 0) last = next + 1;
    }
    const bool is_full = rounds_.empty() || rounds_.back().last_rank < limits_.n_ranks ||
                         std::ssize(rounds_.back().ranges) == limits_.n_aggregators ||
                         sent_ + sent > limits_.send_bytes;
    if (is_full) {
      rounds_.push_back({{}, 0, limits_.n_ranks});
      sent_ = 0;
    }
    rounds_.back().ranges.push_back(range_of(first, last));
    sent_ += sent;
    return next;
  }

  /// Adds rounds of one cell, each from as many ranks as fit.
  void in_groups(Index cell) {
    const auto n = static_cast<int>(std::clamp<std::uint64_t>(limits_.receive_bytes / most(cell), 1,
                                                              static_cast<std::uint64_t>(limits_.n_ranks)));
    for (int rank = 0; rank < limits_.n_ranks; rank += n) {
      rounds_.push_back({{range_of(cell, cell + 1)}, rank, std::min(rank + n, limits_.n_ranks)});
    }
    sent_ = limits_.send_bytes;
  }

  const CellLoads& loads_;
  const RunLimits& limits_;
  std::vector<RunRound> rounds_;
  std::uint64_t sent_ = 0;  // by one rank in the last round
};

}  // namespace

std::vector<RunRound> divide_rounds(const CellLoads& loads, const RunLimits& limits) {
  return RoundMaker(loads, limits).make();
}

}  // namespace esker
