// flatten_meshes: a step of a mesh (esker/types/mesh.hpp) as a step of one sparse array.
//
// The array is the index space of the finest level. What finer patches cover is cut out of the coarser ones
// before anything moves, so that each sample has at most one owner: the finest patch over it. Of
// node-centered patches of one level that share nodes on their borders, the first one (model/level_fields.h)
// is the owner. A sample of a coarser level is that of its whole cell. The array keeps the region of a level
// up to that level (KeepRule::inside), and has fill values where no rank has a patch. Blocks, exchange and
// files are then those of any sparse step.
#pragma once

#include "comm/comm.h"
#include "format/format_writer.h"
#include "write/step_input.h"

namespace esker {

/// `input` with the list of all patches, on rank 0, or on all ranks if the format stores levels; and, if it
/// stores arrays, with patches and rules instead of the patches of meshes. It refers to the same memory, and
/// does not own the copies. Collective; errors are those of all ranks: kInvalidArgument for patches of one
/// level that overlap, for fields of a mesh that are not put in the same patches, for patches that are not
/// nested as the mesh promises, and, with `compares_nodes`, for different values at nodes that patches share
/// (write/shared_nodes.h).
Result<StepInput> flatten_meshes(Comm& comm, const Schema& schema, const FormatWriter& format,
                                 const StepInput& input, bool compares_nodes);

}  // namespace esker
