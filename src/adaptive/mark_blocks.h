// BlockMarks: the blocks that hold primary samples, and the number of these.
//
// A sample is *primary* if its level is not finer than the level that is kept at its place. A block with
// primary samples is stored; its other samples are *secondary*.
#pragma once

#include <span>
#include <vector>

#include "adaptive/level_rule.h"
#include "grid/block_set.h"

namespace esker {

class BlockMarks {
 public:
  /// Blocks up to level `everywhere` (kNotKept: none) are stored in any case, and are not looked at again.
  /// Block 0 is the smallest unit: levels below bits_per_block count as bits_per_block.
  BlockMarks(const BlockGrid& grid, KeptLevel everywhere);

  /// Adds the primary samples of a box, with these levels: dense, x fastest. A sample is added
  /// once.
  void add(const Box& box, std::span<const KeptLevel> levels);
  /// The same, if all samples of the box have this level, which is not kNotKept. The cost follows the blocks.
  void add(const Box& box, KeptLevel level);
  /// Adds all blocks with samples of a box up to a level, without counting samples.
  void add_blocks(const Box& box, KeptLevel level);

  /// Primary samples of levels above `everywhere`.
  [[nodiscard]] Index num_primary() const { return num_primary_; }
  /// The marked blocks; leaves none.
  [[nodiscard]] BlockRuns take_runs();

 private:
  void add_level(const Box& box, std::span<const KeptLevel> levels, int level, bool all);
  [[nodiscard]] int finest_block_level(KeptLevel level) const;
  void mark(Index block);

  const BlockGrid& grid_;
  int first_level_;  // of blocks that are looked at
  Index num_primary_ = 0;
  BlockRuns runs_;
  std::size_t most_runs_;           // before they are joined
  std::vector<Index> last_marked_;  // [level - bits_per_block]
};

}  // namespace esker
