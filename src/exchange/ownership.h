// Ownership: which rank aggregates which pieces, and in which round.
//
// Aggregator a of A owns one contiguous run of positions: few files each, long extents, equal bytes by
// construction. Its run falls into *windows* of `window_bytes`; the pieces that begin in a window are
// collected and stored in one round. All of it is arithmetic on positions, the same on every rank.
//
// Neighbouring windows are of the same few ranks. In the order of the file these would have all the work for
// some rounds and then none; taken in strides of the golden section, windows that are near in time are far
// apart in the grid, and every rank has its share of each few rounds.
#pragma once

#include <vector>

#include "exchange/piece_space.h"

namespace esker {

/// In which order an aggregator takes its windows.
enum class WindowOrder { kFile, kScattered };

class Ownership {
 public:
  /// A aggregators of `n_ranks` ranks, spread evenly. 1 <= n_aggregators <= n_ranks; window_bytes > 0.
  Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index window_bytes,
            WindowOrder order = WindowOrder::kFile);

  [[nodiscard]] int num_aggregators() const { return static_cast<int>(cuts_.size()) - 1; }
  [[nodiscard]] Index window_bytes() const { return window_bytes_; }
  void set_window(Index window_bytes);
  /// Aggregators that own at least one piece.
  [[nodiscard]] int num_writers() const;
  [[nodiscard]] int rank_of(int aggregator) const;
  /// The aggregator that `rank` is, or -1.
  [[nodiscard]] int aggregator_of_rank(int rank) const;

  [[nodiscard]] int owner_at(Index position) const;  ///< aggregator, of a piece at `position`
  [[nodiscard]] Index round_at(int aggregator, Index position) const;
  [[nodiscard]] Index num_rounds() const { return num_rounds_; }  ///< the largest of all aggregators

  /// Where the run of an aggregator begins and ends; both begin a piece.
  struct Run {
    Index begin = 0, end = 0;
  };
  [[nodiscard]] Run positions(int aggregator) const { return {cuts_[aggregator], cuts_[aggregator + 1]}; }

  /// Pieces of an aggregator in a round, [first, last).
  struct Pieces {
    Index first = 0, last = 0;
  };
  [[nodiscard]] Pieces pieces(int aggregator, Index round) const;

 private:
  [[nodiscard]] Index num_windows(int aggregator) const;
  [[nodiscard]] Index stride(int aggregator) const;

  const PieceSpace* space_;
  int n_ranks_;
  Index window_bytes_ = 0;
  WindowOrder order_;
  std::vector<Index> cuts_;  // positions, num_aggregators() + 1 of them; each begins a piece
  Index num_rounds_ = 0;
};

/// How many ranks aggregate when the user does not say: one per file and field, but no more than one per 4
/// MiB of the step, and at most all.
int choose_aggregators(int n_ranks, const PieceSpace& space);

}  // namespace esker
