#include "write/nesting.h"

#include <vector>

#include "adaptive/level_parts.h"
#include "base/error.h"
#include "base/macros.h"
#include "grid/coarsened.h"

namespace esker {
namespace {

/// The samples of the next coarser level that a patch is nested in: the cells with its cells, or the nodes
/// around its nodes.
Box below(const Mesh& mesh, const MeshPatch& put) {
  const Point& ratio = mesh.ratios[static_cast<std::size_t>(put.level - 1)];
  Box box = put.patch.box;
  for (int a = 0; a < box.rank && mesh.centering == Centering::kNodes; ++a) box.hi[a] += ratio[a] - 1;
  return coarsened(box, ratio);
}

/// A part of a region in which no box of the list is; empty if there is none.
Box find_gap(const KnownBoxes& list, const Box& region) {
  std::vector<LevelBox> boxes{{region, 0}};
  list.for_each_meeting(region, [&](int, int, const Box& box) { boxes.push_back({box, 1}); });
  Box gap(region.rank, {}, {});
  for_each_level_part(region, boxes, [&](const Box& part, KeptLevel is_covered) {
    if (is_covered == 0 && gap.empty()) gap = part;
  });
  return gap;
}

}  // namespace

void for_each_region_below(const Directory& directory, const MeshStep& step, const VisitRegion& visit) {
  if (!step.mesh->nested) return;
  for (const MeshPatch& put : step.mine) {
    if (put.level > 0) visit(step.known(directory, put.level - 1), below(*step.mesh, put));
  }
}

Status check_nesting(const Schema& schema, const Directory& directory, const MeshStep& step) {
  if (!step.mesh->nested) return {};
  for (const MeshPatch& put : step.mine) {
    if (put.level == 0) continue;
    const Box gap = find_gap(step.known(directory, put.level - 1), below(*step.mesh, put));
    if (gap.empty()) continue;
    return error(
        Code::kInvalidArgument,
        "mesh '{}', level {}: the patch {} is not nested in level {}, as the mesh promises: no patch of "
        "level {} has the samples {}",
        schema.grids()[static_cast<std::size_t>(step.grid)].name, put.level, put.patch.box.to_string(),
        put.level - 1, put.level - 1, gap.to_string());
  }
  return {};
}

}  // namespace esker
