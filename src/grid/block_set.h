// BlockSet: the blocks that a step stores of a field, with rank and select.
//
//   const BlockSet all(grid);                           // a dense step
//   const BlockSet some(grid, blocks_up_to(grid, 15));  // a sparse one
//   some.num_before(block);  some.nth(number);
//
// A set consists of runs of *ordinals*: the positions of blocks among the existing blocks of the grid. All
// blocks up to a level are one run. Time and memory follow the runs, never the blocks that could be stored.
// All blocks of a grid are arithmetic, without runs. Immutable, pure.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "grid/blocks.h"

namespace esker {

/// Consecutive existing blocks, by their ordinals: [first, last).
struct BlockRun {
  Index first = 0, last = 0;

  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

/// Ascending, disjoint, not empty, and not adjacent.
using BlockRuns = std::vector<BlockRun>;

/// Adds a run that does not begin before the last one.
void append_run(BlockRuns& runs, const BlockRun& run);
/// Runs in any order, which may overlap, in the form above. O(n log n).
BlockRuns normalized(BlockRuns runs);
/// The blocks in either. O(both).
BlockRuns unite(std::span<const BlockRun> a, std::span<const BlockRun> b);

/// The existing blocks up to a level.
BlockRuns blocks_up_to(const BlockGrid& grid, int level);

class BlockSet {
 public:
  /// All existing blocks.
  explicit BlockSet(const BlockGrid& grid) : grid_(grid), size_(grid.num_existing()), is_all_(true) {}
  /// `runs` are within the existing blocks.
  BlockSet(const BlockGrid& grid, BlockRuns runs);

  [[nodiscard]] const BlockGrid& grid() const { return grid_; }
  /// Whether it was made as the set of all blocks, without runs.
  [[nodiscard]] bool is_all() const { return is_all_; }
  [[nodiscard]] const BlockRuns& runs() const { return runs_; }
  [[nodiscard]] Index size() const { return size_; }
  /// Memory of this object.
  [[nodiscard]] Index size_bytes() const {
    return grid_.size_bytes() +
           static_cast<Index>(sizeof(*this) - sizeof(grid_) + runs_.capacity() * sizeof(BlockRun) +
                              (size_before_.capacity() + listed_.capacity()) * sizeof(Index));
  }
  /// False also for blocks that do not exist.
  [[nodiscard]] bool contains(Index block) const;
  /// The blocks of the set in [0, block); block in [0, grid().num_blocks()]. O(log runs + max_level * rank).
  [[nodiscard]] Index num_before(Index block) const;
  /// The block of the set that is preceded by `number` others. O(log runs + max_level * rank).
  [[nodiscard]] Index nth(Index number) const {
    return is_listed() ? listed_[static_cast<std::size_t>(number)]
                       : grid_.nth_existing(ordinals_from(number).first);
  }
  /// Calls visit(block) for those that nth() gives for [first, last), in that order; cheaper than separate
  /// calls.
  template <class Visit>
  void for_each(Index first, Index last, const Visit& visit) const {
    for (; is_listed() && first < last; ++first) visit(listed_[static_cast<std::size_t>(first)]);
    while (first < last) {
      const BlockRun ordinals = ordinals_from(first);
      const BlockGrid::Consecutive blocks = grid_.existing_from(ordinals.first);
      const Index n = std::min({last - first, ordinals.last - ordinals.first, blocks.last - blocks.first});
      for (Index block = blocks.first; block < blocks.first + n; ++block) visit(block);
      first += n;
    }
  }

  /// Calls visit(block) for the blocks of a block level that hold a sample of `box`, in no order.
  /// O(max_level * log runs) for each.
  void for_each_block_meeting(const Box& box, int level, const std::function<void(Index)>& visit) const;
  /// The samples of the grid in these blocks. O(runs * max_level * rank).
  [[nodiscard]] Index num_samples() const;

  friend bool operator==(const BlockSet& a, const BlockSet& b) {
    return a.is_all_ == b.is_all_ && a.runs_ == b.runs_;
  }

 private:
  [[nodiscard]] bool is_listed() const { return !listed_.empty(); }
  [[nodiscard]] Index num_ordinals_before(Index ordinal) const;
  [[nodiscard]] bool has_ordinal(Index ordinal) const;
  /// The ordinals of block `number` of the set and of the others of its run.
  [[nodiscard]] BlockRun ordinals_from(Index number) const;

  BlockGrid grid_;
  BlockRuns runs_;
  std::vector<Index> size_before_;  // of each run
  Index size_ = 0;
  bool is_all_ = false;
  std::vector<Index> listed_;  // the blocks of a small set, which is often searched; else empty
};

}  // namespace esker
