// MeshStep: the patches that one rank puts of one mesh in a step.
#pragma once

#include <vector>

#include "esker/types/mesh.hpp"
#include "exchange/directory.h"
#include "write/step_input.h"

namespace esker {

struct MeshStep {
  int grid = -1;
  const Mesh* mesh = nullptr;
  std::vector<int> fields;      ///< due, positions in the schema
  std::vector<MeshPatch> mine;  ///< of the first field; those of the others have the same boxes
  int first_list = 0;           ///< of the directory of patches: one list per level

  [[nodiscard]] int list_of(int level) const { return first_list + level; }
  /// The patches of a level, as far as this rank knows them.
  [[nodiscard]] const KnownBoxes& known(const Directory& directory, int level) const {
    return *directory.lists()[static_cast<std::size_t>(list_of(level))];
  }
};

/// The patches of a field of a mesh that this rank puts.
inline const std::vector<MeshPatch>& patches_of(const StepInput& input, int field) {
  static const std::vector<MeshPatch> none;
  const auto f = static_cast<std::size_t>(field);
  return f < input.mesh_patches.size() ? input.mesh_patches[f] : none;
}

}  // namespace esker
