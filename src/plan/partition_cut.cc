#include "plan/partition_cut.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.h"

namespace esker {

PartitionCut::PartitionCut(const PieceSpace& space, int n_partitions, bool complete_files)
    : space_(&space), n_partitions_(n_partitions), complete_files_(complete_files) {
  if (space.num_layouts() > 0 && space.layout(0).own_partition()) {
    take_own_layouts();
  } else {
    for (int number = 0; number < space.num_layouts(); ++number) {
      tiles_.push_back(std::make_shared<const TileCut>(*space.layout(number).block_grid(), n_partitions));
      shared_files_.emplace_back();
      if (complete_files) find_shared_files(number);
    }
  }
  find_main_layout();
}

void PartitionCut::take_own_layouts() {
  layouts_of_.resize(static_cast<std::size_t>(n_partitions_));
  for (int number = 0; number < space_->num_layouts(); ++number) {
    const OwnPartition& own = *space_->layout(number).own_partition();
    tiles_.push_back(own.cut);
    layouts_of_[static_cast<std::size_t>(own.partition)].push_back(number);
  }
}

/// Layouts with the same tiles are of one grid.
void PartitionCut::find_main_layout() {
  std::map<const TileCut*, Index> bytes;
  for (int number = 0; number < space_->num_layouts(); ++number) {
    bytes[tiles_[static_cast<std::size_t>(number)].get()] += space_->layout(number).stored_bytes();
  }
  for (int number = 0; number < space_->num_layouts(); ++number) {
    if (bytes[&tiles(number)] > bytes[&tiles(main_layout_)]) main_layout_ = number;
  }
}

/// The files that hold blocks below the first tile, or on both sides of a border between partitions.
void PartitionCut::find_shared_files(int layout) {
  const TileCut& cut = tiles(layout);
  const Index per_file = space_->layout(layout).blocks_per_file();
  std::vector<Index>& files = shared_files_[static_cast<std::size_t>(layout)];
  for (Index file = 0; file * per_file < cut.num_coarse_blocks(); ++file) files.push_back(file);
  for (int p = 0; p < n_partitions_; ++p) {
    for (const BlockRange& range : cut.blocks_of(p)) {
      if (range.first % per_file != 0) files.push_back(range.first / per_file);
      const bool ends_file = range.last % per_file == 0 || range.last == cut.blocks().num_blocks();
      if (!ends_file) files.push_back(range.last / per_file);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
}

/// The partition that stores a file of several partitions; -1: another file.
int PartitionCut::partition_of_shared(int layout, Index file) const {
  const std::vector<Index>& files = shared_files_[static_cast<std::size_t>(layout)];
  const auto found = std::lower_bound(files.begin(), files.end(), file);
  if (found == files.end() || *found != file) return -1;
  return static_cast<int>((found - files.begin()) * n_partitions_ / std::ssize(files));
}

int PartitionCut::partition_of(Index piece) const {
  const int layout = space_->layout_of(piece);
  if (has_own_layouts()) return space_->layout(layout).own_partition()->partition;
  const Index block = space_->piece(piece).id;
  if (complete_files_) {
    const int shared = partition_of_shared(layout, block / space_->layout(layout).blocks_per_file());
    if (shared >= 0) return shared;
  }
  return tiles(layout).partition_of_block(block);
}

PositionRange PartitionCut::range_of(int layout, const Layout::Run& run) const {
  const Index first = space_->first_ordinal(layout);
  return {space_->position_bytes(first + run.first), space_->position_bytes(first + run.last)};
}

PositionRange PartitionCut::range_of(int layout) const {
  return range_of(layout, {0, space_->layout(layout).num_pieces()});
}

void PartitionCut::add_blocks(int layout, const BlockRange& blocks,
                              std::vector<PositionRange>& ranges) const {
  for (const auto& found : space_->layout(layout).runs_of_blocks(blocks.first, blocks.last)) {
    ranges.push_back(range_of(layout, found.run));
  }
}

std::vector<PositionRange> PartitionCut::complete_files_of(int partition) const {
  std::vector<PositionRange> ranges;
  if (has_own_layouts()) {
    for (const int layout : layouts_of(partition)) ranges.push_back(range_of(layout));
    return united(std::move(ranges));
  }
  for (int layout = 0; layout < space_->num_layouts(); ++layout) {
    add_complete_files(partition, layout, ranges);
  }
  return united(std::move(ranges));
}

std::vector<std::vector<PositionRange>> PartitionCut::groups_of(int partition) const {
  std::map<std::pair<int, int>, std::vector<PositionRange>> of_field;  // by layout and field
  std::vector<std::vector<PositionRange>> complete;
  if (has_own_layouts()) {
    for (const int layout : layouts_of(partition)) complete.push_back({range_of(layout)});
    return complete;
  }
  for (int layout = 0; layout < space_->num_layouts(); ++layout) {
    for (const BlockRange& blocks : tiles(layout).blocks_of(partition)) {
      for (const auto& found : space_->layout(layout).runs_of_blocks(blocks.first, blocks.last)) {
        const PositionRange range = range_of(layout, found.run);
        if (found.field < 0) {
          complete.push_back({range});
        } else {
          of_field[{layout, found.field}].push_back(range);
        }
      }
    }
  }
  std::vector<std::vector<PositionRange>> groups;
  for (auto& [field, ranges] : of_field) groups.push_back(std::move(ranges));
  groups.insert(groups.end(), complete.begin(), complete.end());
  return groups;
}

void PartitionCut::add_complete_files(int partition, int layout, std::vector<PositionRange>& ranges) const {
  const Index per_file = space_->layout(layout).blocks_per_file();
  const Index num_blocks = tiles(layout).blocks().num_blocks();
  const auto file_of = [&](Index file) -> BlockRange {
    return {file * per_file, std::min(num_blocks, (file + 1) * per_file)};
  };
  for (const Index file : shared_files_[static_cast<std::size_t>(layout)]) {
    if (partition_of_shared(layout, file) == partition) add_blocks(layout, file_of(file), ranges);
  }
  for (const BlockRange& blocks : tiles(layout).blocks_of(partition)) {
    Index first = div_up(blocks.first, per_file), last = blocks.last / per_file;
    if (blocks.last == num_blocks) last = div_up(num_blocks, per_file);
    while (first < last && partition_of_shared(layout, first) >= 0) ++first;
    while (first < last && partition_of_shared(layout, last - 1) >= 0) --last;
    if (first < last) add_blocks(layout, {file_of(first).first, file_of(last - 1).last}, ranges);
  }
}

std::vector<PositionRange> PartitionCut::coarse_ranges() const {
  std::vector<PositionRange> ranges;
  if (has_own_layouts()) return ranges;
  for (int layout = 0; layout < space_->num_layouts() && !complete_files_; ++layout) {
    add_blocks(layout, {0, tiles(layout).num_coarse_blocks()}, ranges);
  }
  return united(std::move(ranges));
}

}  // namespace esker
