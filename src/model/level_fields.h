// Level fields: the fields of a mesh, one for each level, as a file that keeps whole levels stores them.
//
// A level field has the samples of all patches of its level at one step. Its grid has one more axis than the
// mesh: the number of the patch, which is the slowest. Sample (x, y, n) is sample (x, y) of patch n of the
// level, counted from the lower corner of the patch. Patches are numbered in the order of precedes(). The
// grid is as large as the largest patch, so that smaller ones do not fill it.
//
// The schema of what is stored has the fields of the dataset first, and then the level fields, by field and
// level. Only the extents of their grids depend on the step.
#pragma once

#include <vector>

#include "esker/types/schema.hpp"
#include "model/patch_order.h"

namespace esker {

struct LevelField {
  int field = 0;  ///< position in the schema of the dataset
  int level = 0;
};

/// The level fields of a schema, in order.
std::vector<LevelField> level_fields(const Schema& schema);

/// A patch as a box of the grid of its level: `number` is its position there.
Box in_level_grid(const Box& patch, Index number);

/// The schema followed by its level fields, for a step with these patches; a level without patches has one of
/// one sample. kOutOfRange: a level whose patches, each as large as the largest, have more samples than 64
/// bits count.
Result<Schema> with_level_fields(const Schema& schema, const PatchesOfMeshes& patches);

}  // namespace esker
