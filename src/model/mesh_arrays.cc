#include "model/mesh_arrays.h"

#include "base/macros.h"

namespace esker {

Status check_mesh_arrays(const Schema& schema) {
  for (const Grid& grid : schema.grids()) {
    if (!grid.mesh) continue;
    ESKER_RETURN_IF_ERROR(grid.mesh->check_array().with_context("mesh '" + grid.name + "'"));
  }
  return {};
}

}  // namespace esker
