// Ownership: which rank aggregates which pieces, and in which round.
//
// Aggregator a of A owns one contiguous run of positions: few files each, long extents, equal bytes by
// construction. Its run falls into *windows* of `window_bytes`; the pieces that begin in a window are
// collected and stored in one round. All of it is arithmetic on positions, the same on every rank.
//
// In the order of the file, neighbouring windows are of the same few ranks, which would have all the work for
// some rounds and then none; and a field's samples are read once for each of its files, long after each
// other. So ranks that fill each other's windows take them field by field, while its samples are in their
// caches, and within a field in strides of the golden section: every rank has its share of each few rounds.
#pragma once

#include <map>
#include <vector>

#include "exchange/piece_space.h"

namespace esker {

/// In which order an aggregator takes its windows.
enum class WindowOrder { kFile, kByField };

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
  /// The windows of one aggregator by round, and the reverse.
  struct Turns {
    std::vector<Index> window, round;
  };
  [[nodiscard]] Index num_windows(int aggregator) const;
  [[nodiscard]] Index window_begin(int aggregator, Index window) const;
  [[nodiscard]] const Turns& turns_of(int aggregator) const;

  const PieceSpace* space_;
  int n_ranks_;
  Index window_bytes_ = 0;
  WindowOrder order_;
  std::vector<Index> cuts_;  // positions, num_aggregators() + 1 of them; each begins a piece
  Index num_rounds_ = 0;
  mutable std::map<int, Turns> turns_;  // of the aggregators asked for, unless they go by the file
};

/// How many ranks aggregate when the user does not say: one per file and field, but no more than one per 4
/// MiB of the step, and at most all.
int choose_aggregators(int n_ranks, const PieceSpace& space);

}  // namespace esker
