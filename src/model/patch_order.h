// The order of the patches of a mesh, in files and wherever ranks must agree on one.
#pragma once

#include <span>
#include <vector>

#include "esker/types/mesh.hpp"

namespace esker {

/// The patches of meshes at a step: [position in Schema::grids()], or empty.
using PatchesOfMeshes = std::vector<std::vector<MeshBox>>;

/// The order of patches: by level, then by the lower corners, slowest axis first, then by the upper ones. Of
/// patches that share a node, an array has the first one there.
bool precedes(const MeshBox& a, const MeshBox& b);

/// The patches of a level. `patches` are in order.
std::span<const MeshBox> patches_of_level(std::span<const MeshBox> patches, int level);

}  // namespace esker
