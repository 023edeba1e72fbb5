// resolve_meshes: which rank stores which samples of the meshes of a step (esker/types/mesh.hpp).
//
// The patches of all ranks are checked against each other: overlap, nesting, and with an option the nodes
// that several share. For formats that store whole levels that is all (write/add_levels.h). For the others,
// the step becomes one of a sparse array, the index space of the finest level. What finer patches cover is
// cut out of the coarser ones before anything moves, so that each sample has at most one owner: the finest
// patch over it. Of node-centered patches of one level that share nodes on their borders, the first one
// (model/patch_order.h) is the owner. A sample of a coarser level is that of its whole cell. The array keeps
// the region of a level up to that level (KeepRule::inside), and has fill values where no rank has a patch.
#pragma once

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "write/step_input.h"

namespace esker {

/// `input` with the list of all patches, on rank 0, or on all ranks if the format stores levels; and, if it
/// stores arrays, with patches and rules instead of the patches of meshes. It refers to the same memory, and
/// does not own the copies. Collective; errors are those of all ranks: kInvalidArgument for patches of one
/// level that overlap, for fields of a mesh that are not put in the same patches, for patches that are not
/// nested as the mesh promises, and, with the option `compare_shared_nodes`, for different values at nodes
/// that patches share (write/shared_nodes.h); kOutOfMemory: the memory budget cannot hold the list.
Result<StepInput> resolve_meshes(Comm& comm, const Schema& schema, const FormatWriter& format,
                                 const StepInput& input, const Options& options);

}  // namespace esker
