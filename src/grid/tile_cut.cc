#include "grid/tile_cut.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.h"
#include "grid/hybrid_blocks.h"
#include "grid/hz.h"

namespace esker {
namespace {

Index bit_width(Index value) { return std::bit_width(static_cast<std::uint64_t>(value)); }

Index samples_in(const Box& brick, const BlockGrid& blocks) {
  const Box common = intersect(brick, blocks.box());
  return common.empty() ? 0 : common.num_samples();
}

/// Samples of a grid in its first `tile` tiles of `digits` digits.
Index samples_before(const BlockGrid& blocks, int digits, Index tile) {
  const Bitmask& mask = blocks.mask();
  if (tile >> digits) return blocks.box().num_samples();
  Box brick = mask.pow2_box();
  Index samples = 0;
  for (int position = 1; position <= digits; ++position) {
    const int axis = mask.digit(position);
    const Index middle = brick.lo[axis] + mask.weight(position);
    Box lower = brick;
    lower.hi[axis] = middle;
    if (tile >> (digits - position) & 1) {
      samples += samples_in(lower, blocks);
      brick.lo[axis] = middle;
    } else {
      brick = lower;
    }
  }
  return samples;
}

/// The border of two tiles with the number of samples before it that is nearest to `wanted`.
Index nearest_border(const BlockGrid& blocks, int digits, Index wanted) {
  const Bitmask& mask = blocks.mask();
  Box brick = mask.pow2_box();
  Index tile = 0, before = 0;
  for (int position = 1; position <= digits; ++position) {
    const int axis = mask.digit(position);
    const Index middle = brick.lo[axis] + mask.weight(position);
    Box lower = brick;
    lower.hi[axis] = middle;
    const Index in_lower = samples_in(lower, blocks);
    tile <<= 1;
    if (before + in_lower <= wanted) {
      before += in_lower;
      brick.lo[axis] = middle;
      ++tile;
    } else {
      brick = lower;
    }
  }
  const Index in_tile = samples_in(brick, blocks);
  return wanted - before <= before + in_tile - wanted ? tile : tile + 1;
}

}  // namespace

TileCut::TileCut(const BlockGrid& blocks, int n_partitions) : TileCut(blocks, 0, {0, 1}, n_partitions) {}

TileCut::TileCut(const BlockGrid& blocks, int digits, BlockRange tiles, int n_partitions) : blocks_(blocks) {
  find_digits(digits, tiles, n_partitions);
}

TileCut TileCut::within(int partition, int n) const {
  return {blocks_, digits_, {first_tile(partition), first_tile(partition + 1)}, n};
}

/// `tiles` of `digits` digits are divided.
void TileCut::find_digits(int digits, BlockRange tiles, int n_partitions) {
  if (digits == 0 && blocks_.brick_digits() > 0 && n_partitions == blocks_.num_first_blocks()) {
    digits_ = blocks_.brick_digits();
    for (int p = 0; p <= n_partitions; ++p) first_tile_.push_back(p);
    return;
  }
  const int most = std::max(digits, num_depths() - 1);
  const Index samples =
      samples_before(blocks_, digits, tiles.last) - samples_before(blocks_, digits, tiles.first);
  const double limit = kMostPartitionImbalance * static_cast<double>(samples) / n_partitions;
  int s = digits;
  while (s < most && (tiles.last - tiles.first) << (s - digits) < n_partitions) ++s;
  std::pair<Index, int> best{-1, s};
  for (; s <= most; ++s) {
    cut(s, {tiles.first << (s - digits), tiles.last << (s - digits)}, n_partitions);
    const Index found = largest();
    if (best.first < 0 || found < best.first) best = {found, s};
    if (static_cast<double>(found) <= limit) return;
  }
  s = best.second;
  cut(s, {tiles.first << (s - digits), tiles.last << (s - digits)}, n_partitions);
}

void TileCut::cut(int digits, BlockRange tiles, int n_partitions) {
  digits_ = digits;
  const Index begin = samples_before(blocks_, digits, tiles.first);
  const Index samples = samples_before(blocks_, digits, tiles.last) - begin;
  first_tile_.assign(1, tiles.first);
  for (int p = 1; p < n_partitions; ++p) {
    const Index border = nearest_border(blocks_, digits, begin + share(samples, p, n_partitions));
    first_tile_.push_back(std::clamp(border, tiles.first, tiles.last));
  }
  first_tile_.push_back(tiles.last);
}

Index TileCut::num_samples(int partition) const {
  return num_samples_before(first_tile(partition + 1)) - num_samples_before(first_tile(partition));
}

Index TileCut::num_samples_before(Index tile) const { return samples_before(blocks_, digits_, tile); }

Index TileCut::largest() const {
  Index most = 0, before = samples_before(blocks_, digits_, first_tile_.front());
  for (std::size_t p = 1; p < first_tile_.size(); ++p) {
    const Index end = samples_before(blocks_, digits_, first_tile_[p]);
    most = std::max(most, end - before);
    before = end;
  }
  return most;
}

/// Of empty partitions at a border, none has the tile.
int TileCut::partition_of_tile(Index tile) const {
  const auto after = std::upper_bound(first_tile_.begin(), first_tile_.end(), tile);
  const bool is_outside = after == first_tile_.begin() || after == first_tile_.end();
  return is_outside ? -1 : static_cast<int>(after - first_tile_.begin()) - 1;
}

int TileCut::partition_of_block(Index block) const {
  if (has_bricks_in_tiles()) {
    const Index brick = block_of_brick(blocks_.num_first_blocks(), block).brick;
    return partition_of_tile(brick >> (blocks_.brick_digits() - digits_));
  }
  if (block < num_coarse_blocks()) return -1;
  const auto depth = static_cast<int>(bit_width(block)) - 1;
  return partition_of_tile((block >> (depth - digits_)) - first_tile_bit());
}

int TileCut::partition_of_z(Index z) const {
  return partition_of_tile(z >> (blocks_.mask().max_level() - digits_));
}

int TileCut::partition_of_point(const Point& p) const {
  return partition_of_z(z_from_point(blocks_.mask(), p));
}

int TileCut::end_of_coarse_levels() const {
  return has_bricks_in_tiles() ? blocks_.coarsest_level() : blocks_.bits_per_block() + digits_ + 1;
}

std::vector<BlockRange> TileCut::blocks_of(int partition, int depth_end) const {
  const Index first = first_tile_bit() + first_tile(partition);
  const Index last = first_tile_bit() + first_tile(partition + 1);
  std::vector<BlockRange> ranges;
  if (first == last) return ranges;
  int least = digits_;
  if (has_bricks_in_tiles()) {
    least = blocks_.brick_digits();
    const int further = least - digits_;
    if (least < depth_end) {
      ranges.push_back({first_tile(partition) << further, first_tile(partition + 1) << further});
    }
  }
  for (int depth = least; depth < std::min(depth_end, num_depths()); ++depth) {
    ranges.push_back({first << (depth - digits_), last << (depth - digits_)});
  }
  return ranges;
}

}  // namespace esker
