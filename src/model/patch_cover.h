// Which samples of a mesh's finest level the patches of a step cover.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/lattice.hpp"
#include "esker/types/mesh.hpp"

namespace esker {

/// A flag for each sample of a lattice in the finest level, x fastest: 1 if it is in the cell of a sample of
/// some patch. Empty if the patches of the coarsest level cover the domain. `patches` are in their levels;
/// those of one level are disjoint. O(samples + patches).
std::vector<std::uint8_t> samples_in_patches(const Mesh& mesh, std::span<const MeshBox> patches,
                                             const Lattice& samples);

}  // namespace esker
