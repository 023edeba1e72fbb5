#include "adaptive/count_primary.h"

#include <algorithm>

#include "adaptive/level_parts.h"
#include "grid/dense_axis.h"
#include "grid/tiles.h"

namespace esker {
namespace {

/// Whether boxes are all that the rules consist of.
bool are_boxes(const LevelRules& rules, const std::vector<LevelPatch>& of_others) {
  const auto is_box = [](const LevelPatch& patch) { return patch.levels.size() == 1; };
  return rules.ranges.empty() && rules.levels.empty() &&
         std::all_of(of_others.begin(), of_others.end(), is_box);
}

/// The parts of the grid in which levels are found one after the other: tiles, which are joined along the
/// axis on which values are dense in memory, because reading short rows waits for each of them. Dilated rules
/// look beyond their tile, and may use little memory.
Point part_extent(const Bitmask& mask, const LevelRules& rules) {
  constexpr int kJoinedDigits = 3;
  Point extent = tile_extent(mask, mask.max_level(), kTileDigits);
  const auto dilates = [](const auto& rule) { return rule.dilate > 0; };
  const bool any_dilates = std::any_of(rules.ranges.begin(), rules.ranges.end(), dilates) ||
                           std::any_of(rules.levels.begin(), rules.levels.end(), dilates);
  if (any_dilates || rules.ranges.empty() || rules.ranges.front().patches.empty()) return extent;
  const Patch& values = rules.ranges.front().patches.front();
  extent[dense_axis(values, values.box)] <<= kJoinedDigits;
  return extent;
}

/// The finest level of samples that are kept everywhere: at least that of block 0.
int level_in(const BlockGrid& blocks, KeptLevel everywhere) {
  return std::max<int>(everywhere, blocks.bits_per_block());
}

Index count_everywhere(const BlockGrid& blocks, KeptLevel everywhere, std::span<const Box> regions) {
  if (everywhere == kNotKept) return 0;
  const Lattice samples = blocks.mask().samples_up_to(level_in(blocks, everywhere));
  Index sum = 0;
  for (const Box& region : regions) sum += samples.indices_in(region).num_samples();
  return sum;
}

}  // namespace

Index dilation_of(const KeepRule& rule, const Box& grid) {
  Index longest = 0;
  for (int a = 0; a < grid.rank; ++a) longest = std::max(longest, grid.extent(a));
  return std::min(rule.dilate, longest);
}

void add_boxes(const KeepRule& rule, const BlockGrid& blocks, LevelRules& rules) {
  const Box& grid = blocks.box();
  const auto level = static_cast<KeptLevel>(blocks.mask().max_level() + rule.level);
  for (const Box& box : rule.boxes) {
    const Box inside = intersect(box, grid);
    if (!inside.empty()) rules.boxes.push_back({grown(inside, dilation_of(rule, grid), grid), level});
  }
}

std::vector<MarkedBlocks> count_primary(std::span<const BlockGrid> grids, const LevelRules& rules,
                                        const std::vector<LevelPatch>& of_others,
                                        std::span<const Box> regions, const std::function<void()>& pulse) {
  std::vector<BlockMarks> marks;
  for (const BlockGrid& grid : grids) marks.emplace_back(grid, rules.everywhere);
  const auto add_to_all = [&](const Box& part, const auto& levels) {
    if (pulse) pulse();
    for (BlockMarks& of_grid : marks) of_grid.add(part, levels);
  };
  if (are_boxes(rules, of_others)) {
    std::vector<LevelBox> boxes = rules.boxes;
    for (const LevelPatch& patch : of_others) boxes.push_back({patch.box, patch.levels.front()});
    for (const Box& region : regions) for_each_level_part(region, boxes, add_to_all);
  } else if (!grids.empty()) {
    LevelMap map(grids.front().box(), rules, of_others);
    const Point extent = part_extent(grids.front().mask(), rules);
    for (const Box& region : regions) {
      for_each_part(region, extent, [&](const Box& part) { add_to_all(part, map.levels(part)); });
    }
  }
  std::vector<MarkedBlocks> marked;
  for (std::size_t n = 0; n < grids.size(); ++n) {
    const Index num_everywhere = count_everywhere(grids[n], rules.everywhere, regions);
    marked.push_back({marks[n].take_runs(), marks[n].num_primary() + num_everywhere});
  }
  return marked;
}

void add_everywhere(const BlockGrid& blocks, KeptLevel everywhere, BlockRuns& runs) {
  if (everywhere != kNotKept) runs = unite(runs, blocks_up_to(blocks, level_in(blocks, everywhere)));
}

}  // namespace esker
