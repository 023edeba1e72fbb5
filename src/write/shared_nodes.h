// shared_nodes: compares what several patches of a node-centered mesh put at the nodes on their borders.
//
// Only the first of the patches is stored there (model/patch_order.h). With the option compare_shared_nodes
// the holder of each other patch sends its values to the holder of the first, field by field.
#pragma once

#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "exchange/directory.h"
#include "write/mesh_step.h"

namespace esker {

/// `directory` knows the patches of each level that meet those of this rank. Collective; errors are those of
/// all ranks: kInvalidArgument for two patches with different values at a node, which it names; NaN equals
/// NaN. Memory: the shared nodes of a field, on the ranks that hold them.
Status compare_shared_nodes(Comm& comm, const Schema& schema, const StepInput& input, const MeshStep& step,
                            const Directory& directory);

}  // namespace esker
