// Turns: the aggregators that store ranges of linear offsets one after the other, and what each collects in a
// round. TurnList: the turns that share a concatenation of ranges.
#pragma once

#include <vector>

#include "plan/piece_space.h"
#include "plan/stretches.h"

namespace esker {

/// Aggregators [first, last) store the pieces that begin in some ranges of positions in parts (*contents*),
/// of which none spans two ranges: member m of n those with the numbers m, m + n ...
class Turns {
 public:
  int first = 0, last = 0;
  /// The contents are numbered in the order of `ranges`.
  Turns(int first, int last, const std::vector<PositionRange>& ranges);

  [[nodiscard]] int n_members() const { return last - first; }
  [[nodiscard]] bool contains(int aggregator) const { return first <= aggregator && aggregator < last; }
  /// Contents of this size, or of one piece.
  void set_content_bytes(Index bytes);
  [[nodiscard]] Index num_contents() const;
  /// Of one member.
  [[nodiscard]] Index num_contents_of(int aggregator) const;
  /// The number of the content of the piece that begins at a position.
  [[nodiscard]] Index content_at(Index position) const;
  /// The positions at which pieces of a content begin; empty behind the last one.
  [[nodiscard]] PositionRange range_of(Index content) const;
  [[nodiscard]] std::vector<PositionRange> ranges() const;

 private:
  struct Part {
    PositionRange range;
    Index first_content = 0;
  };
  std::vector<Part> parts_;               // in the order of their contents
  std::vector<std::size_t> by_position_;  // numbers of parts
  Index content_bytes_ = 1;
};

class TurnList {
 public:
  /// Aggregators from `first_aggregator` on divide `ranges` between them: next() adds the turns of the next
  /// `n_members`, up to the place `end` in the concatenation.
  explicit TurnList(const std::vector<PositionRange>& ranges = {}, int first_aggregator = 0);
  void next(int n_members, Index end);

  [[nodiscard]] const Stretches& stretches() const { return stretches_; }
  [[nodiscard]] const std::vector<Turns>& all() const { return turns_; }
  /// The place at which the last turns end.
  [[nodiscard]] Index end() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] const Turns& at(Index position) const;
  /// Null if the aggregator has none.
  [[nodiscard]] const Turns* of(int aggregator) const;
  void set_buffer_bytes(Index buffer_bytes);
  /// No aggregator has turns before this one.
  void skip_to(int aggregator) { next_aggregator_ = aggregator; }

 private:
  Stretches stretches_;
  int next_aggregator_ = 0;
  std::vector<Turns> turns_;
  std::vector<Index> ends_;  // places
};

/// The positions of a whole space: aggregator a of n has an equal part of the bytes, which may grow by an
/// eighth to end with a file, but not in a sparse step, whose files are of any size.
TurnList deal_evenly(const PieceSpace& space, int n_aggregators);

/// Files in the order of `ranges`, which consist of complete files: as many groups of aggregators as keep the
/// group with the most bytes per member near the mean.
TurnList deal_files(const PieceSpace& space, const std::vector<PositionRange>& ranges, int first_aggregator,
                    int n_aggregators);

/// Equal parts of groups of ranges for `n` aggregators, which may grow or shrink by an eighth to end with a
/// group.
TurnList deal_groups(const std::vector<std::vector<PositionRange>>& groups, int first_aggregator, int n);

/// `num_pieces` pieces for some of `n_aggregators`, spread evenly over their numbers, one piece or more each.
TurnList deal_to_some(const std::vector<PositionRange>& ranges, Index num_pieces, int n_aggregators);

}  // namespace esker
