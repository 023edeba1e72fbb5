// The patches of a step that a file lists, and the samples of the finest level that they cover.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "esker/types/lattice.hpp"
#include "esker/types/mesh.hpp"

namespace esker {

/// kDataLoss: a patch outside of its level, or patches of a level that cannot be disjoint, because they have
/// more samples than the level.
Status check_patches(const Mesh& mesh, std::span<const MeshBox> patches);

/// A flag for each sample of a lattice, x fastest: 1 if it is in one of the boxes. O(samples + boxes).
std::vector<std::uint8_t> samples_in_boxes(std::span<const Box> boxes, const Lattice& samples);

/// A flag for each sample of a lattice in the finest level, x fastest: 1 if it is in the cell of a sample of
/// some patch. Empty if the patches of the coarsest level cover the domain. `patches` have passed
/// check_patches(). O(samples + patches).
std::vector<std::uint8_t> samples_in_patches(const Mesh& mesh, std::span<const MeshBox> patches,
                                             const Lattice& samples);

}  // namespace esker
