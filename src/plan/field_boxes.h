// Which rank holds which boxes of the fields of a step, and whether they cover each grid exactly once. Pure.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "layout/step_layouts.h"
#include "plan/distribution.h"
#include "plan/relays.h"

namespace esker {

/// [position of the field in the schema] -> the boxes of the ranks.
using BoxesOfField = std::map<int, std::shared_ptr<const Distribution>>;

/// Whether any grid is that of a mesh, whose patches may be coarser than the grid and need not cover it.
bool has_meshes(const Schema& schema);

/// The largest extent of the boxes of each field, [position in the schema]; 0 where no rank has a box.
/// kInvalidArgument, with field and box, if a box does not begin at a multiple of this extent.
Result<std::vector<Point>> regular_extents(const Schema& schema, const BoxesOfField& holders, int n_ranks);

/// kInvalidArgument unless the box can be a chunk of that extent.
Status check_regular(const Field& field, const Box& box, const Point& extent);

/// The columns of a step in the form that the planner takes.
std::vector<FieldPatches> patches_of_columns(const std::vector<StepLayouts::Column>& columns,
                                             const BoxesOfField& boxes);

/// The number of ranks, of `n_ranks`, that hold samples of any of the fields.
int num_holders(const std::vector<FieldPatches>& fields, int n_ranks);

/// kInvalidArgument, with field, ranks and boxes, unless the boxes of each field on `n_ranks` ranks cover its
/// grid exactly once. Meshes, which patches need not cover, are left out. Local, pure.
Status check_coverage(const Schema& schema, const BoxesOfField& boxes, int n_ranks);

/// Errors for boxes that do not cover a grid exactly once: a field that is due was not put; no rank put some
/// samples; two ranks put the same samples.
Status missing_error(const Field& field);
Status gap_error(const Field& field, const Box& where);
Status overlap_error(const Field& field, const Box& where, const HeldBox& first, const HeldBox& second);
/// The same for patches of one level of a mesh, in indices of the level.
Status overlap_error(const Grid& mesh, int level, const Box& where, const HeldBox& first,
                     const HeldBox& second);

}  // namespace esker
