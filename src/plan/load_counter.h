// LoadCounter: what a step asks of each node and file, counted while the plans of all ranks are.
#pragma once

#include <utility>
#include <vector>

#include "esker/types/plan_loads.hpp"
#include "layout/step_layouts.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/segment.h"

namespace esker {

class LoadCounter {
 public:
  /// ranks_per_node > 0. `space` must outlive it.
  LoadCounter(const PieceSpace& space, int n_ranks, int ranks_per_node);

  /// Adds one message of a stage. Whether it crosses from one node to another.
  bool add_message(StageLoad NodeLoad::*stage, int source, int target, Index bytes);
  /// Adds the receives of a rank in a round of a stage: `n_messages` arrive from other nodes.
  void add_receives(StageLoad NodeLoad::*stage, int rank, Index n_messages);
  /// Adds the pieces that a rank writes in a round, one extent per file.
  void add_written(int rank, Index round, const Ownership::Pieces& pieces);
  /// Adds samples that a rank writes where they are in their piece, without the rest of it: one extent for
  /// all segments of a piece, which follow each other.
  void add_own(int rank, const Segment& segment);

  /// The counts; the counter is empty afterwards.
  [[nodiscard]] PlanLoads take() { return std::move(loads_); }

 private:
  [[nodiscard]] Index file_of(Index position) const;

  const PieceSpace& space_;
  std::vector<Index> ends_of_files_;
  PlanLoads loads_;
  std::vector<Index> compared_by_relay_, compared_by_aggregator_;  // by rank
  Index own_piece_ = -1;                                           // of the last extent, see add_own()
};

/// Gives the extents of layouts that share a file the number of that file: to `space`, on which they were
/// counted, layouts that are not compressed have separate files. Files have ascending numbers, without gaps.
/// Local, pure.
void number_shared_files(const PieceSpace& space, const StepLayouts& layouts, PlanLoads& loads);

}  // namespace esker
