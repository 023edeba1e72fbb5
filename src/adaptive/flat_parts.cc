#include "adaptive/flat_parts.h"

#include <utility>

#include "adaptive/level_parts.h"
#include "base/checked.h"
#include "grid/coarsened.h"
#include "grid/selection.h"
#include "model/patch_order.h"

namespace esker {
namespace {

/// The largest power of two, at most `most`, that divides both.
Index common_power(Index a, Index b, Index most) {
  while (most > 1 && (a % most != 0 || b % most != 0)) most /= 2;
  return most;
}

/// Calls visit(box, spacing) for parts of a part of a coarser patch, so that nearest samples at multiples of
/// `spacing` are in the part: `ratio` where its cells are whole, less where a finer patch covers a part of a
/// cell.
template <class Visit>
void for_each_aligned(const Box& part, const Box& domain, const Point& ratio, const Visit& visit) {
  Box whole = part;
  for (int a = 0; a < part.rank; ++a) {
    whole.lo[a] = round_up(part.lo[a], ratio[a]);
    whole.hi[a] = part.hi[a] == domain.hi[a] ? part.hi[a] : part.hi[a] - part.hi[a] % ratio[a];
    if (whole.hi[a] <= whole.lo[a]) whole.hi[a] = whole.lo[a];
  }
  std::vector<LevelBox> boxes{{part, 0}};
  if (!whole.empty()) boxes.push_back({whole, 1});
  for_each_level_part(part, boxes, [&](const Box& box, KeptLevel level) {
    Point spacing = ratio;
    for (int a = 0; a < box.rank && level == 0; ++a) {
      const Index end = box.hi[a] == domain.hi[a] ? 0 : box.hi[a];
      spacing[a] = common_power(box.lo[a], end, ratio[a]);
    }
    visit(box, spacing);
  });
}

}  // namespace

Box region_in_level(const Mesh& mesh, const MeshBox& patch, int finer) {
  return coarsened(mesh.in_finest(patch.box, patch.level), mesh.ratio_to_finest(finer));
}

std::vector<Box> uncovered_parts(const Mesh& mesh, const MeshBox& patch, const PatchesMeeting& meeting) {
  const Box own = mesh.in_finest(patch.box, patch.level);
  std::vector<LevelBox> boxes;
  if (mesh.centering == Centering::kNodes) {
    meeting(patch.level, patch.box, [&](const Box& box) {
      if (!precedes({patch.level, box}, patch)) return;
      boxes.push_back({mesh.in_finest(box, patch.level), static_cast<KeptLevel>(patch.level)});
    });
  }
  for (int level = patch.level + 1; level < mesh.num_levels(); ++level) {
    meeting(level, region_in_level(mesh, patch, level), [&](const Box& box) {
      boxes.push_back({mesh.in_finest(box, level), static_cast<KeptLevel>(level)});
    });
  }
  std::vector<Box> parts;
  for_each_part_outside(own, boxes, [&](const Box& part) { parts.push_back(part); });
  return parts;
}

void FlatRules::add(int level, const std::vector<Box>& parts) {
  const Box domain = mesh_.domain(mesh_.num_levels() - 1);
  const Point ratio = mesh_.ratio_to_finest(level);
  for (const Box& part : parts) {
    for_each_aligned(part, domain, ratio, [&](const Box& box, const Point& spacing) {
      boxes_[-levels_below(mask_, spacing)].push_back(box);
    });
  }
}

std::vector<KeepRule> FlatRules::take() {
  std::vector<KeepRule> rules;
  for (auto& [level, boxes] : std::exchange(boxes_, {})) {
    rules.push_back(KeepRule::inside(std::move(boxes), level));
  }
  return rules;
}

}  // namespace esker
