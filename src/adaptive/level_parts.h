// Parts of a region with one level each: what boxes with levels keep, without a look at single samples.
//
//   for_each_level_part(grid, {{{{0, 0}, {64, 64}}, 20}, {{{32, 32}, {96, 96}}, 18}},
//                       [&](const Box& part, KeptLevel level) { marks.add(part, level); });
#pragma once

#include <functional>
#include <span>

#include "adaptive/level_rule.h"

namespace esker {

/// Calls visit(part, level) for disjoint boxes that together have the samples of `region` in any of `boxes`.
/// `level` is that of the finest of the boxes that contain the part. O(n log n) for n boxes that meet the
/// region, if few of them overlap.
void for_each_level_part(const Box& region, std::span<const LevelBox> boxes,
                         const std::function<void(const Box& part, KeptLevel level)>& visit);

/// Calls visit(part) for disjoint boxes that together have the samples of `region` outside of all `boxes`.
/// Boxes of lower levels are cut out first: if they cover those of higher levels, as in nested meshes, only
/// their faces divide the region. Cost as above.
void for_each_part_outside(const Box& region, std::span<const LevelBox> boxes,
                           const std::function<void(const Box& part)>& visit);

}  // namespace esker
