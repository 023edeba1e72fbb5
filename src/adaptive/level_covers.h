// How many samples the levels of a mesh have, and how many of them finer patches cover.
#pragma once

#include <span>
#include <vector>

#include "esker/types/mesh.hpp"

namespace esker {

/// By level. `patches` share nodes on their borders at most, which count once. Nothing counts as covered
/// where the finest level has more samples than 64 bits can count. O(n log n) for n patches.
std::vector<LevelCover> covers_of(const Mesh& mesh, std::span<const MeshBox> patches);

}  // namespace esker
