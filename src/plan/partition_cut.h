// PartitionCut: which pieces of all layouts belong to which partition.
//
// Each layout is cut by its own TileCut. Pieces of blocks that lie in one tile belong to the partition of the
// tile, the other ones to the coarse part. Where files are stored front to back, as compressed files are, a
// file has one partition: files with blocks of several partitions are dealt to the partitions one after the
// other, and there is no coarse part. If partitions are stored separately, a layout has one partition, and
// there is no coarse part, either.
//
// Pure, the same on every rank. What a partition has is found in O(depths * fields): by depth a range of
// blocks, of which complete files are one run of pieces.
#pragma once

#include <memory>
#include <vector>

#include "grid/tile_cut.h"
#include "plan/piece_space.h"
#include "plan/stretches.h"

namespace esker {

class PartitionCut {
 public:
  /// All layouts have a block_grid(), or all have an own_partition() of a cut into n_partitions. `space` must
  /// outlive it.
  PartitionCut(const PieceSpace& space, int n_partitions, bool complete_files);

  [[nodiscard]] int num_partitions() const { return n_partitions_; }
  /// Of the grid of a layout.
  [[nodiscard]] const TileCut& tiles(int layout) const { return *tiles_[static_cast<std::size_t>(layout)]; }
  /// Whether each layout has one partition, and the layouts of a partition.
  [[nodiscard]] bool has_own_layouts() const { return !layouts_of_.empty(); }
  [[nodiscard]] const std::vector<int>& layouts_of(int partition) const {
    return layouts_of_[static_cast<std::size_t>(partition)];
  }
  /// A layout of the grid with the most stored bytes: its tiles tell which partition a rank belongs to.
  [[nodiscard]] int main_layout() const { return main_layout_; }
  [[nodiscard]] bool has_complete_files() const { return complete_files_; }

  /// -1: the coarse part.
  [[nodiscard]] int partition_of(Index piece) const;
  /// The positions of a partition's pieces. In files that it shares, those of a field are a group; each range
  /// of complete files is another.
  [[nodiscard]] std::vector<std::vector<PositionRange>> groups_of(int partition) const;
  /// The same with complete files only, in file order.
  [[nodiscard]] std::vector<PositionRange> complete_files_of(int partition) const;
  /// The positions of the coarse part, in file order.
  [[nodiscard]] std::vector<PositionRange> coarse_ranges() const;
  /// The positions of the pieces of blocks of a layout, added to `ranges` in file order.
  void add_blocks(int layout, const BlockRange& blocks, std::vector<PositionRange>& ranges) const;

 private:
  void take_own_layouts();
  void find_main_layout();
  void find_shared_files(int layout);
  [[nodiscard]] int partition_of_shared(int layout, Index file) const;
  [[nodiscard]] PositionRange range_of(int layout, const Layout::Run& run) const;
  [[nodiscard]] PositionRange range_of(int layout) const;
  void add_complete_files(int partition, int layout, std::vector<PositionRange>& ranges) const;

  const PieceSpace* space_;
  int n_partitions_;
  bool complete_files_;
  int main_layout_ = 0;
  std::vector<std::shared_ptr<const TileCut>> tiles_;  // [layout]
  std::vector<std::vector<int>> layouts_of_;           // [partition], if layouts have one each
  std::vector<std::vector<Index>> shared_files_;       // with complete_files: [layout], ascending
};

}  // namespace esker
