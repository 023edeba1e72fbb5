#include "write/add_levels.h"

#include <algorithm>
#include <map>

#include "base/macros.h"
#include "model/field_facts.h"
#include "model/level_fields.h"
#include "plan/field_boxes.h"

namespace esker {
namespace {

/// The same samples as a box of the grid of their level.
Patch in_level_grid(Patch patch, Index number) {
  patch.stride_bytes[static_cast<std::size_t>(patch.box.rank)] = 0;
  patch.box = esker::in_level_grid(patch.box, number);
  return patch;
}

PatchList level_patches(const std::vector<MeshPatch>& mine, int level, std::span<const MeshBox> of_level) {
  PatchList patches;
  for (const MeshPatch& put : mine) {
    if (put.level != level) continue;
    const auto at =
        std::lower_bound(of_level.begin(), of_level.end(), MeshBox{level, put.patch.box}, precedes);
    patches.push_back(in_level_grid(put.patch, at - of_level.begin()));
  }
  return patches;
}

}  // namespace

Status add_levels(const Schema& schema, FormatWriter& format, const StepInput& input, StepInput& stored) {
  ESKER_RETURN_IF_ERROR(format.take_patches(stored.patches_of_meshes));
  ESKER_ASSIGN_OR_RETURN(Schema with_levels, with_level_fields(schema, stored.patches_of_meshes));
  for (const Field& field : schema.fields()) {
    const bool is_flat = !schema.grid_of(field).mesh || format.stores_flat();
    stored.stored.push_back(is_flat && is_due(field, input.step));
  }
  std::map<int, PatchBoxes> boxes_of_grid;
  for (const auto& [f, level] : level_fields(schema)) {
    const Field& field = schema.fields()[static_cast<std::size_t>(f)];
    const std::span<const MeshBox> of_mesh = patches_of_grid(stored.patches_of_meshes, field.grid);
    const std::span<const MeshBox> of_level = patches_of_level(of_mesh, level);
    const bool due = is_due(field, input.step);
    if (due && of_mesh.empty()) return missing_error(field);
    const auto position = stored.stored.size();
    stored.stored.push_back(due && !of_level.empty());
    PatchList& patches = stored.patches.emplace_back();
    if (!due || static_cast<std::size_t>(f) >= input.mesh_patches.size()) continue;
    patches = level_patches(input.mesh_patches[static_cast<std::size_t>(f)], level, of_level);
    PatchBoxes& shared = boxes_of_grid[with_levels.fields()[position].grid];
    if (shared == patches.boxes()) patches.share(shared);
    shared = patches.boxes();
  }
  stored.schema = std::make_shared<const Schema>(std::move(with_levels));
  return {};
}

}  // namespace esker
