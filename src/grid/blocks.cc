#include "grid/blocks.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/checked.h"
#include "grid/hz.h"
#include "grid/points.h"

namespace esker {

namespace {

Box intersect_with_extent(const Box& box, const Point& extent) {
  return intersect(box, Box::from_extent(box.rank, extent));
}

/// Halves `cells` at each mask position 1 ... n_digits, the same way as the Z codes of tiles are built, and
/// follows the half that upper_half(position, cells of `range` in the lower half) selects. Returns the code
/// of the last tile. `cells`: all tiles, or the samples in them.
template <class UpperHalf>
Index descend(const Bitmask& mask, int n_digits, Box cells, const Box& range, UpperHalf upper_half) {
  Index z = 0;
  Point in_range = intersect(cells, range).extents();  // cells of `range` that are left, per axis
  for (int position = 1; position <= n_digits; ++position) {
    const int axis = mask.digit(position);
    const Index middle = cells.lo[axis] + cells.extent(axis) / 2;
    const Index lower =
        std::clamp(middle - std::max(cells.lo[axis], range.lo[axis]), Index{0}, in_range[axis]);
    Index in_lower = lower;
    for (int a = 0; a < range.rank; ++a) in_lower *= a == axis ? 1 : in_range[a];
    const bool up = upper_half(position, in_lower);
    (up ? cells.lo : cells.hi)[axis] = middle;
    in_range[axis] = up ? in_range[axis] - lower : lower;
    z = z << 1 | (up ? 1 : 0);
  }
  return z;
}

/// The first `n_digits` positions of the mask as a box of that many cells.
Box all_cells(const Bitmask& mask, int n_digits) {
  return Box::from_extent(mask.rank(), mask.pow2_sizes(1, n_digits));
}

/// The number of `cells` of `range` in tiles with a Z code below `z`: where z has a 1, all codes with a 0
/// there are smaller.
Index count_below(const Bitmask& mask, int n_digits, const Box& cells, const Box& range, Index z) {
  Index count = 0;
  descend(mask, n_digits, cells, range, [&](int position, Index in_lower) {
    const bool up = (z >> (n_digits - position) & 1) != 0;
    if (up) count += in_lower;
    return up;
  });
  return count;
}

/// The tile of `range` that is preceded by `ordinal` tiles of the range, and those that follow it in the
/// largest half around it that lies in the range. Z codes.
BlockGrid::Consecutive tiles_from(const Bitmask& mask, int n_digits, const Box& range, Index ordinal) {
  Index in_half = range.num_samples();
  int free_digits = -1;  // of that half; a half that lies in the range consists of such halves
  const Index z =
      descend(mask, n_digits, all_cells(mask, n_digits), range, [&](int position, Index in_lower) {
        const bool up = ordinal >= in_lower;
        if (up) ordinal -= in_lower;
        in_half = up ? in_half - in_lower : in_lower;
        if (in_half == Index{1} << (n_digits - position)) ++free_digits;
        return up;
      });
  return {z, ((z >> free_digits) + 1) << free_digits};
}

/// Tiles with adjacent Z codes: a box of them, and the number of existing tiles with a lower code.
struct TileRange {
  Box cells;
  Index z = 0;  ///< the digits that all of them share
  Index existing_before = 0;
};

/// Finds tiles by halving ranges of them, see BlockGrid::for_each_block_meeting().
struct TileSearch {
  const Bitmask& mask;
  int n_digits;
  const Box& existing;
  const BlockGrid::HasAny& has_any;
  const std::function<void(Index)>& visit;  // of the Z code

  /// Visits those of the tiles `wanted`, which are in `range` and exist. `position`: of the next digit.
  void search(TileRange range, Box wanted, int position) const {
    for (; position <= n_digits; ++position) {
      const int axis = mask.digit(position);
      const Index middle = range.cells.lo[axis] + range.cells.extent(axis) / 2;
      if (wanted.lo[axis] < middle && middle < wanted.hi[axis]) {
        if (!has_any(range.existing_before, range.existing_before + num_existing(range))) return;
        Box in_lower = wanted;
        in_lower.hi[axis] = middle;
        TileRange lower = range;
        take_half(lower, axis, middle, false);
        search(lower, in_lower, position + 1);
        wanted.lo[axis] = middle;
      }
      take_half(range, axis, middle, wanted.lo[axis] >= middle);
    }
    if (has_any(range.existing_before, range.existing_before + 1)) visit(range.z);
  }

 private:
  [[nodiscard]] Index num_existing(const TileRange& range) const {
    return intersect(range.cells, existing).num_samples();
  }

  void take_half(TileRange& range, int axis, Index middle, bool upper) const {
    range.z = range.z << 1 | (upper ? 1 : 0);
    const Index end = std::exchange(range.cells.hi[axis], middle);
    if (!upper) return;
    range.existing_before += num_existing(range);
    range.cells.lo[axis] = middle;
    range.cells.hi[axis] = end;
  }
};

}  // namespace

BlockGrid::BlockGrid(const Bitmask& mask, int bits_per_block, const Box& box, int brick_digits)
    : mask_(mask),
      bits_per_block_(bits_per_block),
      brick_digits_(brick_digits),
      box_(box),
      num_existing_(num_first_blocks()) {
  assert(0 <= bits_per_block && bits_per_block <= mask.max_level());
  assert(!box.empty() && box.rank == mask.rank() && mask.pow2_box().contains(box));
  assert(0 <= brick_digits && coarsest_level() <= mask.max_level());
  for (int level = coarsest_level() + 1; level <= mask.max_level(); ++level) {
    const Box tiles = find_existing_tiles(level);
    const Index count = tiles.num_samples();
    levels_.push_back({tiles, num_existing_, count == Index{1} << tile_digits(level),
                       mask_.samples_new_at(level), samples_per_axis(level)});
    num_existing_ += count;
  }
}

bool BlockGrid::can_have_bricks(int digits) const {
  assert(brick_digits_ == 0);
  if (digits < 0 || bits_per_block_ + digits > mask_.max_level()) return false;
  const Point extent = mask_.pow2_sizes(digits + 1, mask_.max_level());
  const Point count = mask_.pow2_sizes(1, digits);
  for (int a = 0; a < box_.rank; ++a) {
    if (box_.lo[a] >= extent[a] || box_.hi[a] <= (count[a] - 1) * extent[a]) return false;
  }
  return num_existing_before(Index{1} << digits) == Index{1} << digits;
}

int BlockGrid::level_of_block(Index block) const {
  if (block < num_first_blocks()) return coarsest_level();
  return bits_per_block_ + std::bit_width(static_cast<std::uint64_t>(block));
}

Lattice BlockGrid::lattice(Index block) const {
  if (block < num_first_blocks()) {
    Lattice lattice = mask_.samples_up_to(coarsest_level());
    lattice.origin = point_from_z(mask_, block << (mask_.max_level() - brick_digits_));
    lattice.count = samples_per_axis_of_brick();
    return lattice;
  }
  const Level& level = level_at(level_of_block(block));
  Lattice lattice = level.samples;
  lattice.origin = point_from_hz(mask_, block << bits_per_block_);
  lattice.count = level.samples_per_axis;
  return lattice;
}

bool BlockGrid::exists(Index block) const {
  const Lattice l = lattice(block);
  for (int a = 0; a < l.rank; ++a) {
    if (l.origin[a] >= box_.hi[a] || l.origin[a] + l.count[a] * l.stride[a] <= box_.lo[a]) return false;
  }
  return true;
}

Index BlockGrid::block_of(const Point& p) const {
  const Index z = z_from_point(mask_, p);
  const Index block = hz_from_z(mask_, z) >> bits_per_block_;
  return block < num_first_blocks() ? z >> (mask_.max_level() - brick_digits_) : block;
}

Index BlockGrid::num_existing_before(Index block) const {
  assert(0 <= block && block <= num_blocks());
  if (block < num_first_blocks()) return block;
  if (block == num_blocks()) return num_existing_;
  const int number = level_of_block(block);
  const Level& level = level_at(number);
  const Index z = block - first_block_of_level(number);
  if (level.is_whole) return level.existing_before + z;
  const int n_digits = tile_digits(number);
  return level.existing_before + count_below(mask_, n_digits, all_cells(mask_, n_digits), level.tiles, z);
}

// The samples of a level are numbered like tiles that are divided further.
Index BlockGrid::num_samples_before(Index block) const {
  assert(0 <= block && block <= num_blocks());
  if (block == num_blocks()) return box_.num_samples();
  if (block < num_first_blocks()) {
    const int finest = coarsest_level();
    const Box samples = mask_.samples_up_to(finest).indices_in(box_);
    return count_below(mask_, brick_digits_, all_cells(mask_, finest), samples, block);
  }
  const int number = level_of_block(block);
  const Box coarser = mask_.samples_up_to(number - 1).indices_in(box_);
  const Box here = mask_.samples_new_at(number).indices_in(box_);
  return coarser.num_samples() + count_below(mask_, tile_digits(number), all_cells(mask_, number - 1), here,
                                             block - first_block_of_level(number));
}

BlockGrid::Consecutive BlockGrid::existing_from(Index ordinal) const {
  assert(0 <= ordinal && ordinal < num_existing());
  if (ordinal < num_first_blocks()) return {ordinal, num_first_blocks()};
  int number = mask_.max_level();
  while (level_at(number).existing_before > ordinal) --number;
  const Level& level = level_at(number);
  const Index in_level = ordinal - level.existing_before, first_block = first_block_of_level(number);
  if (level.is_whole) return {first_block + in_level, 2 * first_block};
  const Consecutive tiles = tiles_from(mask_, tile_digits(number), level.tiles, in_level);
  return {first_block + tiles.first, first_block + tiles.last};
}

void BlockGrid::for_each_block_meeting(const Box& box, int level,
                                       const std::function<void(Index)>& visit) const {
  assert(coarsest_level() <= level && level <= mask_.max_level());
  assert(box.rank == mask_.rank());
  if (level == coarsest_level()) {
    for_each_index_point(bricks_with_samples_in(box),
                         [&](const Point& brick) { visit(z_of_cell(brick, brick_digits_)); });
    return;
  }
  for_each_index_point(existing_tiles_with_samples_in(box, level),
                       [&](const Point& tile) { visit(block_of_tile(tile, level)); });
}

void BlockGrid::for_each_block_meeting(const Box& box, int level, const HasAny& has_any,
                                       const std::function<void(Index)>& visit) const {
  assert(coarsest_level() <= level && level <= mask_.max_level());
  if (level == coarsest_level()) {
    for_each_block_meeting(box, level, [&](Index block) {
      if (has_any(block, block + 1)) visit(block);
    });
    return;
  }
  const int n_digits = tile_digits(level);
  const Box wanted = existing_tiles_with_samples_in(box, level);
  const Index first_block = first_block_of_level(level);
  const std::function<void(Index)> visit_tile = [&](Index z) { visit(first_block + z); };
  const TileSearch tiles{mask_, n_digits, existing_tiles(level), has_any, visit_tile};
  if (!wanted.empty()) tiles.search({all_cells(mask_, n_digits), 0, existing_at(level).before}, wanted, 1);
}

BlockGrid::Existing BlockGrid::existing_at(int level) const {
  if (level == coarsest_level()) return {0, num_first_blocks()};
  const Level& found = level_at(level);
  return {found.existing_before, found.tiles.num_samples()};
}

std::vector<BlockGrid> grids_with(const BlockGrid& grid, const std::vector<int>& bits_per_block) {
  std::vector<BlockGrid> grids;
  for (const int bits : bits_per_block) grids.emplace_back(grid.mask(), bits, grid.box());
  return grids;
}

Index BlockGrid::first_block_of_level(int level) const { return Index{1} << tile_digits(level); }

Point BlockGrid::samples_per_axis(int level) const {
  return mask_.pow2_sizes(level - bits_per_block_, level - 1);
}

// Tile q of an axis is [q, q + 1) * size + shift, where shift is the origin of the level's lattice.
Box BlockGrid::find_existing_tiles(int level) const {
  const Lattice samples = mask_.samples_new_at(level);
  const Point count = samples_per_axis(level);
  Box tiles = box_;
  for (int a = 0; a < box_.rank; ++a) {
    const Index size = count[a] * samples.stride[a];
    tiles.lo[a] = floor_div(box_.lo[a] - samples.origin[a], size);
    tiles.hi[a] = ceil_div(box_.hi[a] - samples.origin[a], size);
  }
  return intersect_with_extent(tiles, mask_.pow2_sizes(1, tile_digits(level)));
}

// Sample k of the level's lattice is in tile k / count on each axis, so the result is exact.
Box BlockGrid::tiles_with_samples_in(const Box& box, int level) const {
  Box tiles = level_at(level).samples.indices_in(box);
  if (tiles.empty()) return tiles;
  const Point& count = level_at(level).samples_per_axis;
  for (int a = 0; a < box.rank; ++a) {
    tiles.lo[a] = tiles.lo[a] / count[a];
    tiles.hi[a] = div_up(tiles.hi[a], count[a]);
  }
  return tiles;
}

Box BlockGrid::existing_tiles_with_samples_in(const Box& box, int level) const {
  return intersect(existing_tiles(level), tiles_with_samples_in(box, level));
}

Index BlockGrid::block_of_tile(const Point& tile, int level) const {
  return first_block_of_level(level) | z_of_cell(tile, tile_digits(level));
}

Index BlockGrid::z_of_cell(const Point& cell, int n_digits) const {
  Index z = 0;
  for (int position = 1; position <= n_digits; ++position) {
    const int axis = mask_.digit(position);
    z = z << 1 | (cell[axis] >> mask_.num_digits(axis, position + 1, n_digits) & 1);
  }
  return z;
}

Box BlockGrid::bricks_with_samples_in(const Box& box) const {
  Box bricks = mask_.samples_up_to(coarsest_level()).indices_in(box);
  if (bricks.empty()) return bricks;
  const Point count = samples_per_axis_of_brick();
  for (int a = 0; a < box.rank; ++a) {
    bricks.lo[a] /= count[a];
    bricks.hi[a] = div_up(bricks.hi[a], count[a]);
  }
  return bricks;
}

}  // namespace esker
