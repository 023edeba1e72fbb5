// Ownership: which rank aggregates which pieces, and in which round.
//
// There are two rules. *Contiguous*: aggregator a of A owns one contiguous range of linear offsets. It has
// few files, long extents, and equal bytes by construction. The rule is arithmetic, for any number of ranks.
// *Local*: the grid is cut into bricks like those that the ranks hold. Aggregator a owns share a of each
// layout: the pieces in brick a, where they are small enough. It is the rank whose box contains the center of
// the brick, so most samples stay on their rank. The local rule suits ranks of one node, where many writes
// cost no more than few. O(pieces) on each rank.
//
// What an aggregator owns is divided into runs of pieces that fit in a collective buffer of `buffer_bytes`,
// or are a single larger piece. The pieces of such a run are collected and stored in one round. By the
// contiguous rule the runs follow the order of the file. By the local rule they follow the fields and, over
// all levels together, the layout's curve, so that the samples of a region are read while they are in the
// caches.
#pragma once

#include <utility>
#include <vector>

#include "plan/piece_space.h"

namespace esker {

/// The ranks that aggregate.
struct Placement {
  std::vector<int> ranks;                  ///< [aggregator]; all different
  std::vector<BrickDecomposition> bricks;  ///< of each layout, one per aggregator; empty: the contiguous rule

  [[nodiscard]] bool is_local() const { return !bricks.empty(); }
};

class Ownership {
 public:
  /// The contiguous rule: A aggregators, spread evenly over the rank numbers. 1 <= n_aggregators <= n_ranks;
  /// buffer_bytes > 0.
  Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index buffer_bytes);
  /// Either rule; `placement` has ranks.
  Ownership(const PieceSpace& space, int n_ranks, Placement placement, Index buffer_bytes);

  [[nodiscard]] int num_aggregators() const { return n_aggregators_; }
  [[nodiscard]] Index buffer_bytes() const { return buffer_bytes_; }
  void set_buffer_bytes(Index buffer_bytes);
  /// Aggregators that own at least one piece.
  [[nodiscard]] int num_writers() const;
  [[nodiscard]] int rank_of(int aggregator) const;
  /// The aggregator number of `rank`, or -1.
  [[nodiscard]] int aggregator_of_rank(int rank) const;

  /// Consecutive pieces, [first, last).
  struct Pieces {
    Index first = 0, last = 0;
  };
  /// A piece of the space and its linear offset (position).
  struct PieceAt {
    Index number = 0, position = 0;
  };
  [[nodiscard]] int owner_of(const PieceAt& piece) const;  ///< an aggregator
  [[nodiscard]] Index round_of(int aggregator, const PieceAt& piece) const;
  [[nodiscard]] Index num_rounds() const { return num_rounds_; }  ///< the largest of all aggregators

  /// The pieces that an aggregator owns, in order, of all pieces or of a range.
  [[nodiscard]] std::vector<Pieces> runs(int aggregator) const;
  [[nodiscard]] std::vector<Pieces> runs(int aggregator, const Pieces& within) const;
  /// The pieces that it collects in a round.
  [[nodiscard]] Pieces pieces(int aggregator, Index round) const;
  /// The aggregators that may own pieces of a range.
  struct Range {
    int first = 0, last = 0;  ///< [first, last)
  };
  [[nodiscard]] Range owners_of(const Pieces& pieces) const;

 private:
  /// The buffer contents of one aggregator, by round and in order.
  struct Schedule {
    std::vector<Pieces> runs;  // the contents are cut from these
    std::vector<Pieces> contents;
    std::vector<Index> rounds_in_order;  // of the contents, ordered by their first pieces
  };
  [[nodiscard]] bool is_local() const { return placement_.is_local(); }
  void cut_space();
  void deal_bricks();
  [[nodiscard]] Index num_buffers(int aggregator) const;
  void make_schedule(Schedule& schedule) const;
  void cut_run(const Pieces& run, std::vector<Pieces>& contents) const;

  const PieceSpace* space_;
  int n_ranks_;
  int n_aggregators_;
  Index buffer_bytes_ = 0;
  Index num_rounds_ = 0;
  std::vector<Index> cuts_;  // contiguous: n_aggregators + 1 positions, each the start of a piece
  Placement placement_;      // without ranks: spread evenly
  std::vector<std::pair<int, int>> aggregator_of_rank_;  // of placement_.ranks, ascending
  std::vector<Schedule> schedules_;                      // local: per aggregator
};

/// The default number of aggregators: Layout::most_writers(), but at most one per 4 MiB of the step, and at
/// most all ranks.
int choose_aggregators(int n_ranks, const PieceSpace& space);
/// The same for a number of bytes and of writers.
int choose_aggregators(int n_ranks, Index stored_bytes, Index most_writers);

}  // namespace esker
