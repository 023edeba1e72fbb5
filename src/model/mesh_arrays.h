// Whether the meshes of a schema can be stored as arrays in the index space of their finest level.
#pragma once

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// The result of Mesh::check_array() for all meshes, naming the one that fails.
Status check_mesh_arrays(const Schema& schema);

}  // namespace esker
