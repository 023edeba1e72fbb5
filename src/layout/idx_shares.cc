// Shares of an IDX step: of each level that has a block for every share, one stretch of its Z order, the same
// for all fields; of the blocks of coarser levels, field after field, one stretch.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/checked.h"
#include "layout/idx_layout.h"

namespace esker::idx {
namespace {

/// The numbers of [0, count) that share `share` of `n` has: those with number * n / count == share.
Layout::Run stretch(Index count, int share, int n) {
  return {div_up(count * share, n), div_up(count * (share + 1), n)};
}

}  // namespace

/// Existing blocks of the levels that have not one for every share.
Index IdxLayout::num_coarse(int n_shares) const {
  for (int level = blocks_.bits_per_block(); level <= blocks_.mask().max_level(); ++level) {
    const BlockGrid::Existing existing = blocks_.existing_at(level);
    if (existing.count >= n_shares) return existing.before;
  }
  return num_existing_;
}

int IdxLayout::share_of(Index ordinal, int n) const {
  const Place place = place_of(ordinal);
  const Index number = place.range.existing_before + place.number_in_file;
  const Index coarse = num_coarse(n);
  if (number < coarse) {
    return static_cast<int>((place.present_field * coarse + number) * n / (num_present_ * coarse));
  }
  int level = blocks_.mask().max_level();
  while (blocks_.existing_at(level).before > number) --level;
  const BlockGrid::Existing existing = blocks_.existing_at(level);
  return static_cast<int>((number - existing.before) * n / existing.count);
}

/// By their numbers among the existing blocks.
std::vector<Layout::Run> IdxLayout::existing_of_share(int share, int n, int present_field) const {
  std::vector<Run> runs;
  const Index coarse = num_coarse(n);
  const Run of_coarse = stretch(num_present_ * coarse, share, n);
  const Index before = present_field * coarse;
  runs.push_back({std::clamp<Index>(of_coarse.first - before, 0, coarse),
                  std::clamp<Index>(of_coarse.last - before, 0, coarse)});
  for (int level = blocks_.bits_per_block(); level <= blocks_.mask().max_level(); ++level) {
    const BlockGrid::Existing existing = blocks_.existing_at(level);
    if (existing.before < coarse) continue;
    const Run mine = stretch(existing.count, share, n);
    runs.push_back({existing.before + mine.first, existing.before + mine.last});
  }
  return runs;
}

std::vector<Layout::Run> IdxLayout::runs_of_share(int share, int n) const {
  std::vector<std::vector<Run>> of_field;
  for (int field = 0; field < num_present_; ++field) of_field.push_back(existing_of_share(share, n, field));
  std::vector<Run> runs;
  const auto add = [&](Run run) {
    if (run.first >= run.last) return;
    if (!runs.empty() && runs.back().last == run.first) {
      runs.back().last = run.last;
    } else {
      runs.push_back(run);
    }
  };
  for (Index before = 0; before < num_existing_ && num_present_ > 0;) {
    const FileRange range = range_of(blocks_.nth_existing(before) / parameters_.blocks_per_file);
    const Index end = before + range.num_existing;
    for (int field = 0; field < num_present_; ++field) {
      const Index section = before * num_present_ + field * range.num_existing;
      for (const Run& run : of_field[static_cast<std::size_t>(field)]) {
        add({section + std::clamp(run.first, before, end) - before,
             section + std::clamp(run.last, before, end) - before});
      }
    }
    before = end;
  }
  return runs;
}

/// Blocks of a level are numbered along the Z curve below a leading bit.
Index IdxLayout::place_on_curve(Index ordinal) const {
  const Index block = piece(ordinal).id;
  if (block == 0) return 0;
  const Index along_level = block - static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(block)));
  return along_level << (blocks_.mask().max_level() - blocks_.level_of_block(block));
}

Point IdxLayout::middle_of_share(int share, int n) const {
  const BlockGrid::Existing finest = blocks_.existing_at(blocks_.mask().max_level());
  const Index number = std::min(finest.count - 1, (2 * share + 1) * finest.count / (2 * n));
  const Lattice samples = blocks_.lattice(blocks_.nth_existing(finest.before + number));
  Point middle{};
  for (int a = 0; a < samples.rank; ++a) {
    middle[a] = std::clamp(samples.origin[a] + samples.count[a] / 2 * samples.stride[a], blocks_.box().lo[a],
                           blocks_.box().hi[a] - 1);
  }
  return middle;
}

}  // namespace esker::idx
