// nesting: whether the levels of a mesh are nested as its definition promises (Mesh::nested).
#pragma once

#include "esker/types/schema.hpp"
#include "exchange/directory.h"
#include "write/mesh_step.h"

namespace esker {

/// Calls visit for what check_nesting() must know. Local.
void for_each_region_below(const Directory& directory, const MeshStep& step, const VisitRegion& visit);

/// kInvalidArgument for a patch of this rank that is not in the patches of the next coarser level. Local;
/// O(n log n) for n patches that meet those of this rank.
Status check_nesting(const Schema& schema, const Directory& directory, const MeshStep& step);

}  // namespace esker
