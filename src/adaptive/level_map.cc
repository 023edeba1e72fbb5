#include "adaptive/level_map.h"

#include <algorithm>

#include "adaptive/dilate.h"
#include "adaptive/levels_of_values.h"
#include "grid/points.h"
#include "grid/tiles.h"

namespace esker {
namespace {

/// Calls visit(offset in `outer`, offset in `inner`, count) for the rows of `common`, a part of both boxes.
template <class Visit>
void for_each_row(const Box& common, const Box& outer, const Box& inner, const Visit& visit) {
  if (common.empty()) return;
  Box starts = common;
  starts.hi[0] = starts.lo[0] + 1;
  const auto offset_in = [&](const Box& box, const Point& p) {
    Index offset = 0;
    for (int a = box.rank; a-- > 0;) offset = offset * box.extent(a) + p[a] - box.lo[a];
    return offset;
  };
  for_each_index_point(
      starts, [&](const Point& p) { visit(offset_in(outer, p), offset_in(inner, p), common.extent(0)); });
}

void raise_in(const Box& where, KeptLevel level, const Box& box, std::vector<KeptLevel>& levels) {
  const Box common = intersect(where, box);
  for_each_row(common, box, common, [&](Index at, Index, Index count) {
    for (Index i = at; i < at + count; ++i) {
      KeptLevel& kept = levels[static_cast<std::size_t>(i)];
      kept = std::max(kept, level);
    }
  });
}

/// Raises the levels of `box` to those of `source`, a larger or overlapping box.
void raise_from(const Box& source, std::span<const KeptLevel> from, const Box& box,
                std::vector<KeptLevel>& levels) {
  for_each_row(intersect(source, box), box, source, [&](Index at, Index source_at, Index count) {
    for (Index i = 0; i < count; ++i) {
      KeptLevel& kept = levels[static_cast<std::size_t>(at + i)];
      kept = std::max(kept, from[static_cast<std::size_t>(source_at + i)]);
    }
  });
}

}  // namespace

void for_each_tile(const Bitmask& mask, const Box& box, const std::function<void(const Box&)>& visit) {
  for_each_tile(mask, box, mask.max_level(), kTileDigits, visit);
}

Box grown(const Box& box, Index distance, const Box& grid) {
  Box larger = box;
  for (int a = 0; a < box.rank; ++a) {
    larger.lo[a] = std::max(grid.lo[a], box.lo[a] - distance);
    larger.hi[a] = std::min(grid.hi[a], box.hi[a] + distance);
  }
  return larger;
}

template <class Rule, class Raise>
void LevelMap::raise_dilated(const Rule& rule, const Box& box, const Raise& raise) {
  if (rule.dilate == 0) return raise(rule, box, std::span(levels_));
  const Box wide = grown(box, rule.dilate, grid_);
  wide_.assign(static_cast<std::size_t>(wide.num_samples()), kNotKept);
  raise(rule, wide, std::span(wide_));
  if (std::all_of(wide_.begin(), wide_.end(), [](KeptLevel level) { return level == kNotKept; })) return;
  scratch_.resize(static_cast<std::size_t>(dilate_scratch(wide, rule.dilate)));
  dilate(wide, rule.dilate, wide_, scratch_);
  raise_from(wide, wide_, box, levels_);
}

void LevelMap::raise_by_samples(const Box& box) {
  for (const RangeRule& rule : rules_.ranges) raise_dilated(rule, box, raise_by_values);
  for (const SampleLevelsRule& rule : rules_.levels) raise_dilated(rule, box, raise_by_levels);
}

std::span<const KeptLevel> LevelMap::levels_by_samples(const Box& box) {
  levels_.assign(static_cast<std::size_t>(box.num_samples()), kNotKept);
  raise_by_samples(box);
  return levels_;
}

std::span<const KeptLevel> LevelMap::levels(const Box& box) {
  levels_.assign(static_cast<std::size_t>(box.num_samples()), rules_.everywhere);
  for (const LevelBox& rule : rules_.boxes) raise_in(rule.box, rule.level, box, levels_);
  for (const LevelPatch& patch : of_others_) {
    if (patch.levels.size() == 1) {
      raise_in(patch.box, patch.levels.front(), box, levels_);
    } else {
      raise_from(patch.box, patch.levels, box, levels_);
    }
  }
  raise_by_samples(box);
  return levels_;
}

}  // namespace esker
