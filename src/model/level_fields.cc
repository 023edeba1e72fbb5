#include "model/level_fields.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "grid/num_samples.h"
#include "model/free_name.h"

namespace esker {
namespace {

/// The extents of the largest patch on each axis.
Point largest_extent(int rank, std::span<const MeshBox> patches) {
  Point largest{1, 1, 1, 1, 1};
  for (const MeshBox& patch : patches) {
    for (int a = 0; a < rank; ++a) largest[a] = std::max(largest[a], patch.box.extent(a));
  }
  return largest;
}

/// Adds the grid of a level: a mesh of one level, which its patches need not cover.
Result<GridId> add_level(Schema& schema, const Grid& grid, int level, std::span<const MeshBox> patches) {
  const int rank = grid.mesh->rank();
  Mesh boxes;
  boxes.extent = largest_extent(rank, patches);
  boxes.extent[rank] = std::max<Index>(1, std::ssize(patches));
  if (!checked_num_samples(Box::from_extent(rank + 1, boxes.extent))) {
    return error(Code::kOutOfRange, "mesh '{}', level {}: {} patches as large as {} have too many samples",
                 grid.name, level, patches.size(), Box::from_extent(rank, boxes.extent).to_string());
  }
  const std::string of_level = ".level" + std::to_string(level);
  for (int a = 0; a < rank; ++a) {
    boxes.axes.push_back(free_name(schema, grid.mesh->axes[static_cast<std::size_t>(a)], of_level));
  }
  boxes.axes.push_back(free_name(schema, "patch", of_level));
  return schema.add_mesh(free_name(schema, grid.name, of_level), boxes);
}

}  // namespace

std::vector<LevelField> level_fields(const Schema& schema) {
  std::vector<LevelField> all;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const auto& mesh = schema.grid_of(schema.fields()[f]).mesh;
    for (int level = 0; mesh && level < mesh->num_levels(); ++level) {
      all.push_back({static_cast<int>(f), level});
    }
  }
  return all;
}

Box in_level_grid(const Box& patch, Index number) {
  Box box = patch;
  for (int a = 0; a < box.rank; ++a) {
    box.hi[a] -= box.lo[a];
    box.lo[a] = 0;
  }
  box.lo[box.rank] = number;
  box.hi[box.rank] = number + 1;
  ++box.rank;
  return box;
}

Result<Schema> with_level_fields(const Schema& schema, const PatchesOfMeshes& patches) {
  Schema stored = schema;
  std::map<std::pair<int, int>, int> grid_of;  // by grid of the dataset and level
  for (const auto& [f, level] : level_fields(schema)) {
    Field field = schema.fields()[static_cast<std::size_t>(f)];
    const Grid& grid = schema.grid_of(field);
    const auto [known, is_new] = grid_of.try_emplace({field.grid, level}, 0);
    if (is_new) {
      const std::span<const MeshBox> of_level = patches_of_level(patches_of_grid(patches, field.grid), level);
      ESKER_ASSIGN_OR_RETURN(const GridId added, add_level(stored, grid, level, of_level));
      known->second = added.index;
    }
    field.grid = known->second;
    field.name = free_name(stored, field.name, ".level" + std::to_string(level));
    ESKER_RETURN_IF_ERROR(stored.add_field(std::move(field)).status());
  }
  return stored;
}

}  // namespace esker
