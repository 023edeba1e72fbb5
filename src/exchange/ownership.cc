#include "exchange/ownership.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kMinBytesPerAggregator = Index{4} << 20;

/// floor(total * part / parts) without overflow; part <= parts < 2^31.
Index share(Index total, Index part, Index parts) {
  return total / parts * part + total % parts * part / parts;
}

/// The number nearest to the golden section of `n` that has no factor in common with it.
Index scattering_stride(Index n) {
  auto stride = std::max<Index>(1, static_cast<Index>(0.618 * static_cast<double>(n)));
  while (std::gcd(stride, n) != 1) ++stride;
  return stride;
}

/// A boundary between two files near `cut` (within an eighth of a share), or else the piece boundary at or
/// after it: two writers in one file contend for its inode.
Index snap(const PieceSpace& space, Index cut, Index tolerance) {
  if (cut <= 0 || cut >= space.stored_bytes()) return cut;
  const int number = space.layout_at(cut);
  const Index base = space.first_position(number);
  const auto file = space.layout(number).file_at(cut - base);
  if (cut - (base + file.begin) <= tolerance) return base + file.begin;
  if (base + file.end - cut <= tolerance) return base + file.end;
  return space.position_bytes(space.first_piece_from(cut));
}

}  // namespace

Ownership::Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index window_bytes,
                     WindowOrder order)
    : space_(&space), n_ranks_(n_ranks), order_(order) {
  const Index total = space.stored_bytes();
  for (int a = 0; a <= n_aggregators; ++a) {
    const Index cut = snap(space, share(total, a, n_aggregators), total / n_aggregators / 8);
    cuts_.push_back(std::max(cut, cuts_.empty() ? 0 : cuts_.back()));
  }
  set_window(window_bytes);
}

void Ownership::set_window(Index window_bytes) {
  window_bytes_ = window_bytes;
  turns_.clear();
  num_rounds_ = 0;
  for (int a = 0; a < num_aggregators(); ++a) {
    num_rounds_ = std::max(num_rounds_, num_windows(a));
  }
}

int Ownership::num_writers() const {
  int writers = 0;
  for (int a = 0; a < num_aggregators(); ++a) writers += cuts_[a + 1] > cuts_[a] ? 1 : 0;
  return writers;
}

int Ownership::rank_of(int aggregator) const {
  return static_cast<int>(share(n_ranks_, aggregator, num_aggregators()));
}

int Ownership::aggregator_of_rank(int rank) const {
  const auto a = static_cast<int>(div_up(Index{rank} * num_aggregators(), n_ranks_));
  return a < num_aggregators() && rank_of(a) == rank ? a : -1;
}

int Ownership::owner_at(Index position) const {
  return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end() - 1, position) - cuts_.begin()) - 1;
}

Index Ownership::num_windows(int aggregator) const {
  return div_up(cuts_[aggregator + 1] - cuts_[aggregator], window_bytes_);
}

Index Ownership::window_begin(int aggregator, Index window) const {
  return std::min(cuts_[aggregator + 1], cuts_[aggregator] + window * window_bytes_);
}

const Ownership::Turns& Ownership::turns_of(int aggregator) const {
  const auto [found, is_new] = turns_.try_emplace(aggregator);
  Turns& turns = found->second;
  if (!is_new) return turns;
  std::map<std::pair<int, int>, std::vector<Index>> of_field;
  for (Index w = 0; w < num_windows(aggregator); ++w) {
    const Index first = space_->first_piece_from(window_begin(aggregator, w));
    if (first == space_->num_pieces()) break;  // the last piece begins before
    of_field[{space_->layout_of(first), space_->piece(first).field}].push_back(w);
  }
  turns.round.assign(static_cast<std::size_t>(num_windows(aggregator)), -1);
  for (const auto& [field, windows] : of_field) {
    const auto n = static_cast<Index>(windows.size());
    for (Index i = 0; i < n; ++i) {
      const Index window = windows[static_cast<std::size_t>(i * scattering_stride(n) % n)];
      turns.round[static_cast<std::size_t>(window)] = static_cast<Index>(turns.window.size());
      turns.window.push_back(window);
    }
  }
  return turns;
}

Index Ownership::round_at(int aggregator, Index position) const {
  const Index window = (position - cuts_[aggregator]) / window_bytes_;
  return order_ == WindowOrder::kFile ? window : turns_of(aggregator).round[static_cast<std::size_t>(window)];
}

Ownership::Pieces Ownership::pieces(int aggregator, Index round) const {
  Index window = round;
  if (order_ == WindowOrder::kByField) {
    const auto& windows = turns_of(aggregator).window;
    window = round < static_cast<Index>(windows.size()) ? windows[static_cast<std::size_t>(round)]
                                                        : num_windows(aggregator);
  }
  return {space_->first_piece_from(window_begin(aggregator, window)),
          space_->first_piece_from(window_begin(aggregator, window + 1))};
}

int choose_aggregators(int n_ranks, const PieceSpace& space) {
  const Index worth_it = div_up(space.stored_bytes(), kMinBytesPerAggregator);
  return static_cast<int>(std::clamp<Index>(std::min(worth_it, space.num_field_files()), 1, n_ranks));
}

}  // namespace esker
