#include "adaptive/mark_blocks.h"

#include <algorithm>
#include <utility>

#include "grid/points.h"

namespace esker {
namespace {

constexpr std::size_t kFirstLimit = std::size_t{1} << 16;  // of runs, before they are joined

/// The samples of `lattice` at `indices`, all in `box`, whose level is at least `level`.
Index count_kept(const Lattice& lattice, const Box& indices, const Box& box,
                 std::span<const KeptLevel> levels, int level) {
  Point strides{};
  Index stride = 1, offset = 0;
  for (int a = 0; a < box.rank; ++a) {
    strides[a] = stride * lattice.stride[a];
    offset += (lattice.origin[a] - box.lo[a]) * stride;
    stride *= box.extent(a);
  }
  Box starts = indices;
  starts.hi[0] = starts.lo[0] + 1;
  Index count = 0;
  for_each_index_point(starts, [&](const Point& start) {
    const KeptLevel* at = levels.data() + offset;
    for (int a = 0; a < box.rank; ++a) at += start[a] * strides[a];
    for (Index i = 0; i < indices.extent(0); ++i) count += at[i * strides[0]] >= level ? 1 : 0;
  });
  return count;
}

}  // namespace

BlockMarks::BlockMarks(const BlockGrid& grid, KeptLevel everywhere)
    : grid_(grid),
      first_level_(everywhere == kNotKept ? grid.bits_per_block()
                                          : std::max<int>(everywhere, grid.bits_per_block()) + 1),
      most_runs_(kFirstLimit),
      last_marked_(static_cast<std::size_t>(grid.mask().max_level() - grid.bits_per_block() + 1), -1) {}

void BlockMarks::mark(Index block) {
  const int level = block == 0 ? grid_.bits_per_block() : grid_.level_of_block(block);
  Index& last = last_marked_[static_cast<std::size_t>(level - grid_.bits_per_block())];
  if (std::exchange(last, block) == block) return;
  const Index ordinal = grid_.num_existing_before(block);
  runs_.push_back({ordinal, ordinal + 1});
  if (runs_.size() < most_runs_) return;
  runs_ = normalized(std::move(runs_));
  most_runs_ = std::max(kFirstLimit, 2 * runs_.size());
}

/// The finest level of blocks with samples that are kept.
int BlockMarks::finest_block_level(KeptLevel level) const {
  return std::max<int>(level, grid_.bits_per_block());
}

void BlockMarks::add(const Box& box, KeptLevel level) {
  for (int h = first_level_; h <= finest_block_level(level); ++h) {
    grid_.for_each_block_meeting(box, h, [&](Index block) {
      num_primary_ += grid_.lattice(block).indices_in(box).num_samples();
      mark(block);
    });
  }
}

void BlockMarks::add(const Box& box, std::span<const KeptLevel> levels) {
  KeptLevel least = levels.front(), most = levels.front();
  for (const KeptLevel level : levels) {  // std::minmax_element is not vectorized
    least = std::min(least, level);
    most = std::max(most, level);
  }
  if (most == kNotKept) return;
  for (int level = first_level_; level <= finest_block_level(most); ++level) {
    const int kept = level == grid_.bits_per_block() ? kNotKept + 1 : level;
    add_level(box, levels, level, least >= kept);
  }
}

void BlockMarks::add_level(const Box& box, std::span<const KeptLevel> levels, int level, bool all) {
  grid_.for_each_block_meeting(box, level, [&](Index block) {
    const Lattice lattice = grid_.lattice(block);
    const Box indices = lattice.indices_in(box);
    const int least = block == 0 ? kNotKept + 1 : level;
    const Index kept = all ? indices.num_samples() : count_kept(lattice, indices, box, levels, least);
    num_primary_ += kept;
    if (kept > 0) mark(block);
  });
}

void BlockMarks::add_blocks(const Box& box, KeptLevel level) {
  for (int h = first_level_; h <= finest_block_level(level); ++h) {
    grid_.for_each_block_meeting(box, h, [&](Index block) { mark(block); });
  }
}

BlockRuns BlockMarks::take_runs() { return normalized(std::exchange(runs_, {})); }

}  // namespace esker
