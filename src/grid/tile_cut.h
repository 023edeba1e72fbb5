// TileCut: divides a grid into partitions of nearly equal size along the Z curve of its blocks.
//
//   const TileCut cut(blocks, 4);
//   cut.partition_of_point(p);  cut.partition_of_block(b);  // -1: the block lies in several tiles
//   for (const BlockRange& range : cut.blocks_of(2)) ...
//
// *Tiles* are the equal bricks of the first s digits of the mask, numbered along the Z curve; a partition is
// a run of them. Blocks from 2^s on lie in one tile: block b >= 2^s has d = floor(log2 b) >= s digits behind
// its leading one, and the first s of these are the number of its tile. So at each depth d a partition has
// one range of blocks. Blocks below 2^s are the *coarse part*, which no partition has.
//
// In a grid with bricks (grid/hybrid_blocks.h), as many partitions are these bricks. The first block of a
// brick lies in one tile if the tiles are the bricks, or larger; then there is no coarse part. Pure; unless
// noted, all functions cost O(max_level).
#pragma once

#include <vector>

#include "grid/blocks.h"

namespace esker {

/// Consecutive blocks, existing or not: [first, last).
struct BlockRange {
  Index first = 0, last = 0;

  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

/// The largest partition may have this many times the mean number of samples.
inline constexpr double kMostPartitionImbalance = 1.25;

class TileCut {
 public:
  /// s is the least for which the largest of `n_partitions` has at most kMostPartitionImbalance times the
  /// mean number of samples of the grid; if there is none, the one whose largest partition is smallest.
  /// Partitions may be empty. O(n_partitions * max_level^2) at most; `blocks` is copied.
  TileCut(const BlockGrid& blocks, int n_partitions);

  /// The tiles of a partition, divided into `n` parts in the same way.
  [[nodiscard]] TileCut within(int partition, int n) const;

  [[nodiscard]] const BlockGrid& blocks() const { return blocks_; }
  /// s.
  [[nodiscard]] int digits() const { return digits_; }
  [[nodiscard]] int num_partitions() const { return static_cast<int>(first_tile_.size()) - 1; }
  /// Partition p has the tiles first_tile(p) ... first_tile(p + 1) - 1.
  [[nodiscard]] Index first_tile(int partition) const {
    return first_tile_[static_cast<std::size_t>(partition)];
  }
  /// Blocks of the coarse part: it ends before this block.
  [[nodiscard]] Index num_coarse_blocks() const { return has_bricks_in_tiles() ? 0 : first_tile_bit(); }
  /// Block levels of the coarse part, see BlockGrid::for_each_block_meeting(): it ends before this level.
  [[nodiscard]] int end_of_coarse_levels() const;
  /// Samples of the grid.
  [[nodiscard]] Index num_samples(int partition) const;
  /// Samples of the grid in the tiles before `tile`; tile in [0, 2^s].
  [[nodiscard]] Index num_samples_before(Index tile) const;

  [[nodiscard]] int partition_of_block(Index block) const;
  /// By the Z address of a sample, which is in the tiles of this cut.
  [[nodiscard]] int partition_of_z(Index z) const;
  [[nodiscard]] int partition_of_point(const Point& p) const;

  /// The blocks of a partition with less than `depth_end` digits behind the leading one, or in the number of
  /// a brick: one range per depth, ascending, also where these are adjacent.
  [[nodiscard]] std::vector<BlockRange> blocks_of(int partition, int depth_end) const;
  [[nodiscard]] std::vector<BlockRange> blocks_of(int partition) const {
    return blocks_of(partition, num_depths() + 1);
  }

 private:
  TileCut(const BlockGrid& blocks, int digits, BlockRange tiles, int n_partitions);
  [[nodiscard]] int num_depths() const { return blocks_.mask().max_level() - blocks_.bits_per_block(); }
  /// The leading bit of the numbers of blocks, at the depth where the rest is the number of the tile.
  [[nodiscard]] Index first_tile_bit() const { return Index{1} << digits_; }
  [[nodiscard]] bool has_bricks_in_tiles() const {
    return blocks_.brick_digits() > 0 && digits_ <= blocks_.brick_digits();
  }
  void cut(int digits, BlockRange tiles, int n_partitions);
  void find_digits(int digits, BlockRange tiles, int n_partitions);
  [[nodiscard]] Index largest() const;
  [[nodiscard]] int partition_of_tile(Index tile) const;

  BlockGrid blocks_;
  int digits_ = 0;
  std::vector<Index> first_tile_;  // and the end of the last partition
};

}  // namespace esker
