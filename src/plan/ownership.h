// Ownership: which rank aggregates which pieces, and in which round.
//
// There are four rules. *Contiguous*: aggregator a of A owns one contiguous range of linear offsets. It has
// few files, long extents, and equal bytes by construction. The rule is arithmetic, for any number of ranks.
// *In file order*, for pieces whose offset is known only when all pieces before them are encoded: groups of
// aggregators own whole files. In each round a group collects the next part of its files, of which each
// member has a contiguous run of pieces. Where there are enough files of similar size, a group has one
// member. *Local*: the grid is cut into bricks like those that the ranks hold. Aggregator a owns share a of
// each layout: the pieces in brick a, where they are small enough. It is the rank whose box contains the
// center of the brick, so most samples stay on their rank. The local rule suits ranks of one node, where many
// writes cost no more than few. O(pieces) on each rank. *In partitions* (plan/partition_cut.h): the pieces of
// a partition are divided among its aggregators by one of these rules. The coarse part is divided among all
// aggregators, and collected in rounds before the other rounds; by the local rule it has no separate rounds.
// Partitions that are stored separately have separate layouts, and no coarse part.
//
// What an aggregator owns is divided into runs of pieces that fit in a collective buffer of `buffer_bytes`,
// or are a single larger piece. The pieces of such a run are collected and stored in one round. By the
// first and the last rule the runs follow the order of the file. By the local rule they follow the fields
// and, over all levels together, the layout's curve, so that the samples of a region are read while they are
// in the caches.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "plan/partition_cut.h"
#include "plan/piece_space.h"
#include "plan/turns.h"

namespace esker {

/// Which ranks belong to which partition.
struct PartitionedRanks {
  PartitionCut cut;
  std::vector<int> of_rank;  ///< [rank]
};

/// The ranks that aggregate.
struct Placement {
  std::vector<int> ranks;                  ///< [aggregator]; all different
  std::vector<BrickDecomposition> bricks;  ///< of each layout, one per aggregator; empty: another rule
  /// In partitions, each of which has the same number of aggregators: first those of partition 0. Null:
  /// another rule.
  std::shared_ptr<const PartitionedRanks> partitions = nullptr;
  bool by_tiles = false;  ///< in partitions by the local rule: each aggregator has a run of tiles

  [[nodiscard]] bool is_local() const { return !bricks.empty() || by_tiles; }
};

/// Queries remember the turns of partitions, so that a thread needs a copy.
class Ownership {
 public:
  enum class Order { kAny, kOfFiles };

  /// The contiguous rule, or the rule in file order: A aggregators, spread evenly over the rank numbers.
  /// 1 <= n_aggregators <= n_ranks; buffer_bytes > 0.
  Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index buffer_bytes,
            Order order = Order::kAny);
  /// Any rule; `placement` has ranks, and no bricks with kOfFiles.
  Ownership(const PieceSpace& space, int n_ranks, Placement placement, Index buffer_bytes,
            Order order = Order::kAny);

  [[nodiscard]] int num_aggregators() const { return n_aggregators_; }
  [[nodiscard]] bool is_local() const { return placement_.is_local(); }
  [[nodiscard]] Order order() const { return order_; }
  /// The aggregators that store the same files in turn, and the number of this one among them. The content of
  /// round r follows that of round r - 1; in a round, that of member m follows that of member m - 1.
  struct Group {
    int number = 0, n_members = 1;
    int member = 0;
  };
  [[nodiscard]] Group group_of(int aggregator) const;
  /// Members of the largest group.
  [[nodiscard]] int largest_group() const;
  [[nodiscard]] Index buffer_bytes() const { return buffer_bytes_; }
  void set_buffer_bytes(Index buffer_bytes);
  /// Aggregators that own at least one piece.
  [[nodiscard]] int num_writers() const { return num_writers_; }
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

  /// Null without partitions.
  [[nodiscard]] const PartitionedRanks* partitions() const { return placement_.partitions.get(); }
  /// In partitions: the aggregators of each; those of partition p begin with p times this number.
  [[nodiscard]] int num_in_partition() const;
  /// The first rounds, in which only pieces of the coarse part are collected.
  [[nodiscard]] Index num_coarse_rounds() const { return num_coarse_rounds_; }

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
  void deal();
  void deal_bricks();
  void deal_tiles();
  void deal_tiles(int layout, int partition);
  void deal_own(int layout);
  void give(int aggregator, const std::vector<PositionRange>& ranges);
  void order_runs();
  [[nodiscard]] TurnList make_turns(int partition) const;
  [[nodiscard]] const TurnList& turns_in(int partition) const;
  /// The turns that store a piece.
  [[nodiscard]] const Turns& turns_at(const PieceAt& piece, bool& is_coarse) const;
  /// The turns of an aggregator, except those in the coarse part.
  [[nodiscard]] const Turns* turns_of(int aggregator) const;
  [[nodiscard]] Pieces pieces_in(const PositionRange& range) const;
  void count_rounds();
  /// What fills a buffer: consecutive pieces, and the place of the first one.
  struct Content {
    Pieces pieces;
    int layout = 0, field = 0;
    Index on_curve = 0;
  };
  void make_schedule(Schedule& schedule) const;
  void cut_run(const Pieces& run, std::vector<Content>& contents) const;

  const PieceSpace* space_;
  int n_ranks_;
  int n_aggregators_;
  Index buffer_bytes_ = 0;
  Index num_rounds_ = 0, num_coarse_rounds_ = 0;
  int num_writers_ = 0;
  Order order_ = Order::kAny;
  TurnList turns_;                            // unless local or in partitions: they cover the space
  TurnList coarse_;                           // in partitions, unless local
  mutable std::map<int, TurnList> turns_in_;  // by partition, of those that were queried
  Placement placement_;                       // without ranks: spread evenly
  std::vector<std::pair<int, int>> aggregator_of_rank_;  // of placement_.ranks, ascending
  std::vector<Schedule> schedules_;                      // local: per aggregator
  std::vector<std::pair<Index, int>> owner_from_;        // local: the first pieces of all runs, ascending
};

/// The default number of aggregators: Layout::most_writers(), but at most one per 4 MiB of the step, and at
/// most all ranks.
int choose_aggregators(int n_ranks, const PieceSpace& space);
/// The same for a number of bytes and of writers.
int choose_aggregators(int n_ranks, Index stored_bytes, Index most_writers);

}  // namespace esker
