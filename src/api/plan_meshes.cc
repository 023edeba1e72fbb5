#include "api/plan_meshes.h"

#include <algorithm>
#include <utility>

#include "adaptive/flat_parts.h"
#include "adaptive/level_covers.h"
#include "base/error.h"
#include "base/macros.h"
#include "grid/coverage.h"
#include "model/level_fields.h"
#include "plan/field_boxes.h"

namespace esker {
namespace {

int first_field_of(const Schema& schema, const Grid& grid) {
  const auto& fields = schema.fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
    return schema.grid_of(field).name == grid.name;
  });
  return static_cast<int>(found - fields.begin());
}

/// The boxes of one level.
BoxesOfRanks boxes_of(const std::vector<std::vector<MeshBox>>& patches, int level) {
  BoxesOfRanks boxes;
  for (const std::vector<MeshBox>& of_rank : patches) {
    std::vector<Box>& on_rank = boxes.emplace_back();
    for (const MeshBox& patch : of_rank) {
      if (patch.level == level) on_rank.push_back(patch.box);
    }
  }
  return boxes;
}

std::vector<MeshBox> joined(const std::vector<std::vector<MeshBox>>& patches) {
  std::vector<MeshBox> all;
  for (const auto& of_rank : patches) all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

/// The boxes in the grid of a level. `of_level`: its patches, in order.
BoxesOfRanks numbered_boxes(const std::vector<std::vector<MeshBox>>& patches, int level,
                            std::span<const MeshBox> of_level) {
  BoxesOfRanks boxes = boxes_of(patches, level);
  for (std::vector<Box>& of_rank : boxes) {
    for (Box& box : of_rank) {
      const auto at = std::lower_bound(of_level.begin(), of_level.end(), MeshBox{level, box}, precedes);
      box = in_level_grid(box, at - of_level.begin());
    }
  }
  return boxes;
}

/// Patches of a level must not overlap; at nodes, they may share those on their borders.
Status check_overlap(const Grid& mesh, int level, const BoxesOfRanks& of_rank) {
  std::vector<Box> boxes;
  std::vector<HeldBox> held;
  for (std::size_t r = 0; r < of_rank.size(); ++r) {
    for (const Box& box : of_rank[r]) {
      boxes.push_back(box);
      held.push_back({box, static_cast<int>(r), 0});
    }
  }
  const bool may_share = mesh.mesh->centering == Centering::kNodes;
  const auto defect =
      may_share ? find_inner_overlap(boxes) : find_coverage_defect(mesh.mesh->domain(level), boxes, true);
  if (!defect) return {};
  return overlap_error(mesh, level, defect->where, held[static_cast<std::size_t>(defect->first)],
                       held[static_cast<std::size_t>(defect->second)]);
}

}  // namespace

Status PlannedPatches::check_patch(const Grid& grid, const MeshBox& patch) const {
  const int n_levels = grid.mesh ? grid.mesh->num_levels() : 1;
  if (patch.level < 0 || patch.level >= n_levels) {
    return error(Code::kOutOfRange, "plan: grid '{}': a patch of level {}, expected 0 to {}", grid.name,
                 patch.level, n_levels - 1);
  }
  const Box domain = grid.mesh ? grid.mesh->domain(patch.level) : schema_.box_of(grid);
  if (patch.box.rank == domain.rank && domain.contains(patch.box)) return {};
  return error(Code::kOutOfRange, "plan: grid '{}': the box {} exceeds level {}, {}", grid.name,
               patch.box.to_string(), patch.level, domain.to_string());
}

Result<PlannedPatches::PatchesOfRanks> PlannedPatches::list_patches(const Grid& grid) const {
  PatchesOfRanks of_rank;
  for (int rank = 0; rank < n_ranks_; ++rank) {
    pulse_();
    of_rank.push_back(patches_(rank, grid));
    std::erase_if(of_rank.back(), [](const MeshBox& patch) { return patch.box.empty(); });
    for (const MeshBox& patch : of_rank.back()) ESKER_RETURN_IF_ERROR(check_patch(grid, patch));
  }
  return of_rank;
}

BoxesOfRanks PlannedPatches::flatten_mesh(const Grid& grid, const FormatWriter& format,
                                          const PatchesOfRanks& patches) {
  std::vector<BoxListDistribution> levels;
  for (int level = 0; level < grid.mesh->num_levels(); ++level) {
    levels.emplace_back(grid.mesh->domain(level), boxes_of(patches, level));
  }
  const PatchesMeeting meeting = [&](int level, const Box& region, const auto& visit) {
    levels[static_cast<std::size_t>(level)].for_each_meeting(region,
                                                             [&](int, int, const Box& box) { visit(box); });
  };
  FlatRules rules(*grid.mesh, format.blocks_of(first_field_of(schema_, grid))->mask());
  BoxesOfRanks flat;
  for (const std::vector<MeshBox>& of_rank : patches) {
    pulse_();
    std::vector<Box>& boxes = flat.emplace_back();
    for (const MeshBox& patch : of_rank) {
      const std::vector<Box> parts = uncovered_parts(*grid.mesh, patch, meeting);
      rules.add(patch.level, parts);
      boxes.insert(boxes.end(), parts.begin(), parts.end());
    }
  }
  rules_[grid.name] = rules.take();
  return flat;
}

void PlannedPatches::count_levels(const Grid& grid, const PatchesOfRanks& patches) {
  const std::vector<LevelCover> covers = covers_of(*grid.mesh, joined(patches));
  levels_.resize(std::max(levels_.size(), covers.size()));
  for (std::size_t level = 0; level < covers.size(); ++level) {
    levels_[level].patches += covers[level].patches;
    levels_[level].samples += covers[level].samples;
    levels_[level].covered += covers[level].covered;
    num_samples_[grid.name] += covers[level].samples;
  }
}

Status PlannedPatches::check_mesh(const Grid& grid, const PatchesOfRanks& patches) const {
  if (std::all_of(patches.begin(), patches.end(), [](const auto& of_rank) { return of_rank.empty(); })) {
    return missing_error(schema_.fields()[static_cast<std::size_t>(first_field_of(schema_, grid))]);
  }
  for (int level = 0; level < grid.mesh->num_levels(); ++level) {
    ESKER_RETURN_IF_ERROR(check_overlap(grid, level, boxes_of(patches, level)));
  }
  return {};
}

Result<const PlannedPatches::PatchesOfRanks*> PlannedPatches::patches_of_mesh(const Grid& grid) {
  const auto known = meshes_.find(grid.name);
  if (known != meshes_.end()) return &known->second;
  ESKER_ASSIGN_OR_RETURN(PatchesOfRanks patches, list_patches(grid));
  ESKER_RETURN_IF_ERROR(check_mesh(grid, patches));
  count_levels(grid, patches);
  return &(meshes_[grid.name] = std::move(patches));
}

Result<std::shared_ptr<const Distribution>> PlannedPatches::flatten(const Grid& grid,
                                                                    const FormatWriter& format) {
  using Flat = std::shared_ptr<const Distribution>;
  const Box domain = schema_.box_of(grid);
  if (!grid.mesh) {
    ESKER_ASSIGN_OR_RETURN(const PatchesOfRanks patches, list_patches(grid));
    return Flat(std::make_shared<const BoxListDistribution>(domain, boxes_of(patches, 0)));
  }
  ESKER_RETURN_IF_ERROR(
      format.check_sparse(first_field_of(schema_, grid)).with_context("mesh '" + grid.name + "'"));
  ESKER_ASSIGN_OR_RETURN(const PatchesOfRanks* patches, patches_of_mesh(grid));
  return Flat(std::make_shared<const BoxListDistribution>(domain, flatten_mesh(grid, format, *patches)));
}

Result<Schema> PlannedPatches::add_level_fields(FormatWriter& format, BoxesOfField& holders,
                                                std::vector<bool>& present) {
  PatchesOfMeshes all(schema_.grids().size());
  for (const Field& field : schema_.fields()) {
    const auto g = static_cast<std::size_t>(field.grid);
    const Grid& grid = schema_.grids()[g];
    if (!grid.mesh || all[g]) continue;
    ESKER_ASSIGN_OR_RETURN(const PatchesOfRanks* patches, patches_of_mesh(grid));
    std::vector<MeshBox> of_mesh = joined(*patches);
    std::sort(of_mesh.begin(), of_mesh.end(), precedes);
    all[g] = std::make_shared<const std::vector<MeshBox>>(std::move(of_mesh));
  }
  ESKER_RETURN_IF_ERROR(format.take_patches(all));
  ESKER_ASSIGN_OR_RETURN(Schema stored, with_level_fields(schema_, all));
  std::map<int, std::shared_ptr<const Distribution>> of_grid;
  for (const auto& [f, level] : level_fields(schema_)) {
    const Grid& mesh = schema_.grid_of(schema_.fields()[static_cast<std::size_t>(f)]);
    const int position = static_cast<int>(present.size());
    const int grid = stored.fields()[static_cast<std::size_t>(position)].grid;
    const std::span<const MeshBox> of_level =
        patches_of_level(patches_of_grid(all, schema_.fields()[static_cast<std::size_t>(f)].grid), level);
    present.push_back(!of_level.empty());
    if (of_level.empty()) continue;
    auto& boxes = of_grid[grid];
    if (!boxes) {
      boxes = std::make_shared<const BoxListDistribution>(
          stored.box_of(stored.grids()[static_cast<std::size_t>(grid)]),
          numbered_boxes(meshes_.at(mesh.name), level, of_level));
    }
    holders[position] = boxes;
  }
  return stored;
}

std::vector<KeepRule> PlannedPatches::rules_of(const Grid& grid) const {
  const auto found = rules_.find(grid.name);
  return found == rules_.end() ? std::vector<KeepRule>() : found->second;
}

}  // namespace esker
