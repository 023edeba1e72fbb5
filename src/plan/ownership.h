// Ownership: which rank aggregates which pieces, and in which round.
//
// By one of two rules. *Contiguous*: aggregator a of A owns one run of positions: few files each, long
// extents, equal bytes by construction; all of it is arithmetic, for any number of ranks. *Local*: the grid
// is cut into bricks like those that the ranks hold; aggregator a owns share a of each layout, that is the
// pieces in brick a where they are small enough, and is the rank that holds the midst of it: most samples
// stay where they are; for ranks of one node, where many writes cost no more than few. O(pieces) on each
// rank.
//
// What an aggregator owns falls into *windows* of at most `window_bytes`, unless a single piece is larger;
// the pieces of a window are collected and stored in one round. By the contiguous rule windows are taken in
// the order of the file, by the local rule field by field and, of all levels together, along the layout's
// curve: the samples of a region are read while they are in the caches.
#pragma once

#include <utility>
#include <vector>

#include "plan/piece_space.h"

namespace esker {

/// Which ranks aggregate.
struct Placement {
  std::vector<int> ranks;  ///< that the aggregators are, each another one
  std::vector<BrickDecomposition>
      bricks;  ///< of each layout, one for each aggregator; none: the contiguous rule

  [[nodiscard]] bool is_local() const { return !bricks.empty(); }
};

class Ownership {
 public:
  /// The contiguous rule: A aggregators, spread evenly over the numbers of ranks. 1 <= n_aggregators <=
  /// n_ranks; window_bytes > 0.
  Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index window_bytes);
  /// By either rule; `placement` has ranks.
  Ownership(const PieceSpace& space, int n_ranks, Placement placement, Index window_bytes);

  [[nodiscard]] int num_aggregators() const { return n_aggregators_; }
  [[nodiscard]] Index window_bytes() const { return window_bytes_; }
  void set_window(Index window_bytes);
  /// Aggregators that own at least one piece.
  [[nodiscard]] int num_writers() const;
  [[nodiscard]] int rank_of(int aggregator) const;
  /// The aggregator that `rank` is, or -1.
  [[nodiscard]] int aggregator_of_rank(int rank) const;

  /// Pieces next to each other, [first, last).
  struct Pieces {
    Index first = 0, last = 0;
  };
  /// A piece of the space, and its position.
  struct PieceAt {
    Index number = 0, position = 0;
  };
  [[nodiscard]] int owner_of(const PieceAt& piece) const;  ///< aggregator
  [[nodiscard]] Index round_of(int aggregator, const PieceAt& piece) const;
  [[nodiscard]] Index num_rounds() const { return num_rounds_; }  ///< the largest of all aggregators

  /// What an aggregator owns, in order, of all pieces or of a range.
  [[nodiscard]] std::vector<Pieces> runs(int aggregator) const;
  [[nodiscard]] std::vector<Pieces> runs(int aggregator, const Pieces& within) const;
  /// What it collects in a round.
  [[nodiscard]] Pieces pieces(int aggregator, Index round) const;
  /// Aggregators that may own pieces of a range.
  struct Range {
    int first = 0, last = 0;  ///< [first, last)
  };
  [[nodiscard]] Range owners_of(const Pieces& pieces) const;

 private:
  /// The windows of one aggregator, by round and in order.
  struct Turns {
    std::vector<Pieces> runs;  // that the windows are cut from
    std::vector<Pieces> windows;
    std::vector<Index> rounds_in_order;  // of the windows by their first pieces
  };
  [[nodiscard]] bool is_local() const { return placement_.is_local(); }
  void cut_space();
  void deal_bricks();
  [[nodiscard]] Index num_windows(int aggregator) const;
  void make_turns(Turns& turns) const;
  void cut_run(const Pieces& run, std::vector<Pieces>& windows) const;

  const PieceSpace* space_;
  int n_ranks_;
  int n_aggregators_;
  Index window_bytes_ = 0;
  Index num_rounds_ = 0;
  std::vector<Index> cuts_;  // contiguous: positions, n_aggregators + 1 of them; each begins a piece
  Placement placement_;      // without ranks: spread evenly
  std::vector<std::pair<int, int>> aggregator_of_rank_;  // of the ranks there, ascending
  std::vector<Turns> turns_;                             // local: per aggregator
};

/// How many ranks aggregate when the user does not say: Layout::most_writers(), but no more than one per 4
/// MiB of the step, and at most all.
int choose_aggregators(int n_ranks, const PieceSpace& space);
/// The same of so many bytes and writers.
int choose_aggregators(int n_ranks, Index stored_bytes, Index most_writers);

}  // namespace esker
