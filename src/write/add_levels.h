// add_levels: the level fields (model/level_fields.h) of a step of a mesh, for a format that stores whole
// levels.
//
// Each patch is the box of its number: in the grid of its level, all patches are next to each other, whatever
// they cover in space. Blocks, exchange and files are then those of any step whose patches leave gaps.
#pragma once

#include "format/format_writer.h"
#include "write/step_input.h"

namespace esker {

/// Adds them to `stored`, which resolve_meshes() made from `input`, and gives the patches to the format.
/// Local, the same on all ranks. kInvalidArgument: a field that is due was not put.
Status add_levels(const Schema& schema, FormatWriter& format, const StepInput& input, StepInput& stored);

}  // namespace esker
