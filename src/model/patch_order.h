// The order of the patches of a mesh, in files and wherever ranks must agree on one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "esker/types/mesh.hpp"

namespace esker {

/// The patches of meshes at a step, in order: [position in Schema::grids()], or empty; null for other grids.
/// Copies share the lists, which are as long as all ranks have patches.
using PatchesOfMeshes = std::vector<std::shared_ptr<const std::vector<MeshBox>>>;

/// The patches of a grid; none if it has no list.
std::span<const MeshBox> patches_of_grid(const PatchesOfMeshes& patches, int grid);

/// Memory of the lists.
Index size_bytes(const PatchesOfMeshes& patches);

/// The order of patches: by level, then by the lower corners, slowest axis first, then by the upper ones. Of
/// patches that share a node, an array has the first one there.
bool precedes(const MeshBox& a, const MeshBox& b);

/// The patches of a level. `patches` are in order.
std::span<const MeshBox> patches_of_level(std::span<const MeshBox> patches, int level);

}  // namespace esker
