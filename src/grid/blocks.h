// BlockGrid: how the HZ order of a grid is divided into blocks of 2^bits_per_block samples.
//
//   BlockGrid blocks(mask, bits_per_block, Box{{0, 0}, {100, 37}});
//   blocks.for_each_block_meeting(box, level, [&](Index block) { ... });
//
// Block 0 holds levels 0 ... bits_per_block; block b >= 1 holds samples of one level. If the grid is divided
// into *bricks*, blocks 0 ... P - 1 are those of as many bricks instead, see grid/hybrid_blocks.h: block p
// has the samples of brick p up to coarsest_level(). A block *exists* if its tile intersects the grid's box;
// other blocks are never stored. All functions are pure and cost O(max_level) unless noted. There are tables
// over levels but none over blocks, so a BlockGrid of 10^9 blocks is as small as one of ten. Source:
// docs/formats/idx.md, section 3.
#pragma once

#include <functional>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "grid/bitmask.h"

namespace esker {

class BlockGrid {
 public:
  /// `box` must be inside mask.pow2_box() and not empty; bits_per_block in [0, mask.max_level()];
  /// can_have_bricks(brick_digits) of the same grid without bricks.
  BlockGrid(const Bitmask& mask, int bits_per_block, const Box& box, int brick_digits = 0);

  [[nodiscard]] const Bitmask& mask() const { return mask_; }
  [[nodiscard]] const Box& box() const { return box_; }
  [[nodiscard]] int bits_per_block() const { return bits_per_block_; }
  [[nodiscard]] Index samples_per_block() const { return Index{1} << bits_per_block_; }
  /// Blocks of the pow2 box: 2^(m - bits_per_block), existing or not.
  [[nodiscard]] Index num_blocks() const { return Index{1} << (mask_.max_level() - bits_per_block_); }

  /// The bricks are those of the first brick_digits() digits of the mask; 0: the grid is one brick.
  [[nodiscard]] int brick_digits() const { return brick_digits_; }
  /// The blocks that hold several levels: block 0, or one for each brick. All of them exist.
  [[nodiscard]] Index num_first_blocks() const { return Index{1} << brick_digits_; }
  /// The finest level of the first blocks. Each other block has one level, which is finer.
  [[nodiscard]] int coarsest_level() const { return bits_per_block_ + brick_digits_; }
  /// Of a grid without bricks: whether each brick of so many digits has at least one block and a sample, and
  /// as many blocks exist in any case, so that the same blocks exist with these bricks.
  [[nodiscard]] bool can_have_bricks(int digits) const;

  /// Level of the samples of a block; coarsest_level() for the first blocks.
  [[nodiscard]] int level_of_block(Index block) const;
  /// The regular lattice of 2^bits_per_block samples that the block holds.
  [[nodiscard]] Lattice lattice(Index block) const;
  /// Whether the block is stored: its tile [origin, origin + count * stride) intersects box().
  [[nodiscard]] bool exists(Index block) const;
  /// The block that holds sample `p` (in the pow2 box).
  [[nodiscard]] Index block_of(const Point& p) const;

  /// Memory of this object.
  [[nodiscard]] Index size_bytes() const {
    return static_cast<Index>(sizeof(*this) + levels_.capacity() * sizeof(Level));
  }

  /// Number of existing blocks in [0, block); block in [0, num_blocks()]. O(max_level * rank).
  [[nodiscard]] Index num_existing_before(Index block) const;
  [[nodiscard]] Index num_existing() const { return num_existing_; }
  /// The existing block that is preceded by `ordinal` existing blocks. O(max_level * rank).
  [[nodiscard]] Index nth_existing(Index ordinal) const { return existing_from(ordinal).first; }
  /// Existing blocks with consecutive numbers, [first, last).
  struct Consecutive {
    Index first = 0, last = 0;
  };
  /// That block and some that follow it; `last` may exist, too. O(max_level * rank).
  [[nodiscard]] Consecutive existing_from(Index ordinal) const;

  /// Number of samples of box() in blocks [0, block); block in [0, num_blocks()]. O(max_level * rank).
  [[nodiscard]] Index num_samples_before(Index block) const;

  /// Existing blocks of a block level, in Z order: the number of blocks before them, and their number.
  struct Existing {
    Index before = 0, count = 0;
  };
  [[nodiscard]] Existing existing_at(int level) const;

  /// Calls `visit(block)` for the existing blocks that hold at least one sample of `box` (half open, any box)
  /// at block level `level`: coarsest_level() means the first blocks, otherwise level is in
  /// (coarsest_level(), m]. Ordered by tile index (x fastest), not by block number. O(blocks visited).
  void for_each_block_meeting(const Box& box, int level, const std::function<void(Index)>& visit) const;
  /// The same for the blocks of a set: has_any(first, last) tells whether any block with an ordinal in
  /// [first, last) is in it. In Z order. The blocks are found by halving; halves without blocks of the set
  /// are skipped: O(max_level * blocks visited).
  using HasAny = std::function<bool(Index, Index)>;
  void for_each_block_meeting(const Box& box, int level, const HasAny& has_any,
                              const std::function<void(Index)>& visit) const;

 private:
  // Blocks of one level > bits_per_block are numbered by the Z code of their *tile index*: the mask
  // positions 1 ... tile_digits(level), below one leading bit.
  [[nodiscard]] int tile_digits(int level) const { return level - bits_per_block_ - 1; }
  [[nodiscard]] Index first_block_of_level(int level) const;
  [[nodiscard]] Point samples_per_axis(int level) const;  ///< in each block of the level
  /// Tiles of the level that meet box(), as a box of tile indices.
  [[nodiscard]] const Box& existing_tiles(int level) const { return level_at(level).tiles; }
  [[nodiscard]] Box find_existing_tiles(int level) const;
  /// Tiles of the level that hold a sample of `box`, as a box of tile indices.
  [[nodiscard]] Box tiles_with_samples_in(const Box& box, int level) const;
  /// The same, of existing blocks.
  [[nodiscard]] Box existing_tiles_with_samples_in(const Box& box, int level) const;
  [[nodiscard]] Index block_of_tile(const Point& tile, int level) const;
  /// The Z code of a cell of the first `n_digits` positions of the mask.
  [[nodiscard]] Index z_of_cell(const Point& cell, int n_digits) const;
  [[nodiscard]] Point samples_per_axis_of_brick() const {  ///< in its first block
    return mask_.pow2_sizes(brick_digits_ + 1, coarsest_level());
  }
  /// Bricks whose first block has a sample of `box`, as a box of cells.
  [[nodiscard]] Box bricks_with_samples_in(const Box& box) const;

  /// The existing blocks of a level above coarsest_level().
  struct Level {
    Box tiles;                  // see existing_tiles()
    Index existing_before = 0;  // blocks of the levels below
    bool is_whole = false;      // all blocks of the level exist
    Lattice samples;            // of the level
    Point samples_per_axis{};   // in each block
  };

  [[nodiscard]] const Level& level_at(int level) const {
    return levels_[static_cast<std::size_t>(level - coarsest_level() - 1)];
  }

  Bitmask mask_;
  int bits_per_block_;
  int brick_digits_;
  Box box_;
  std::vector<Level> levels_;  // coarsest_level() + 1 ... max_level
  Index num_existing_;
};

/// The same grid, in blocks of each of these sizes.
std::vector<BlockGrid> grids_with(const BlockGrid& grid, const std::vector<int>& bits_per_block);

}  // namespace esker
