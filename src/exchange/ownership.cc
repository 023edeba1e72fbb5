#include "exchange/ownership.h"

#include <algorithm>
#include <numeric>
#include <tuple>
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

/// The x in [0, n) with a * x % n = 1 % n, by Euclid's algorithm; a and n have no factor in common.
Index inverse(Index a, Index n) {
  Index x = 1, next_x = 0;
  for (Index rest = a, next = n; next != 0;) {
    const Index quotient = rest / next;
    std::tie(rest, next) = std::pair(next, rest - quotient * next);
    std::tie(x, next_x) = std::pair(next_x, x - quotient * next_x);
  }
  return (x % n + n) % n;
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

/// Window `round` * stride % num_windows is taken in a round.
Index Ownership::stride(int aggregator) const {
  return order_ == WindowOrder::kFile ? 1 : scattering_stride(num_windows(aggregator));
}

Index Ownership::round_at(int aggregator, Index position) const {
  const Index window = (position - cuts_[aggregator]) / window_bytes_;
  const Index windows = num_windows(aggregator);
  return window * inverse(stride(aggregator), windows) % windows;
}

Ownership::Pieces Ownership::pieces(int aggregator, Index round) const {
  const Index end = cuts_[aggregator + 1];
  const Index windows = num_windows(aggregator);
  const Index window = round < windows ? round * stride(aggregator) % windows : windows;
  const Index from = std::min(end, cuts_[aggregator] + window * window_bytes_);
  const Index to = std::min(end, from + window_bytes_);
  return {space_->first_piece_from(from), space_->first_piece_from(to)};
}

int choose_aggregators(int n_ranks, const PieceSpace& space) {
  const Index worth_it = div_up(space.stored_bytes(), kMinBytesPerAggregator);
  return static_cast<int>(std::clamp<Index>(std::min(worth_it, space.num_field_files()), 1, n_ranks));
}

}  // namespace esker
