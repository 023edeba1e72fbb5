// Creates a group without steps so that a run that is killed at any call leaves the old dataset or the new
// one.
//
// The metadata of arrays and levels, and the values of coordinates and scalars, are written below
// Paths::staged(), then the group's zarr.json under a temporary name, and last a mark. A new dataset appears
// when the arrays are in place, and the group's zarr.json gets its name. If it replaces another one, the
// group's zarr.json comes first: from then on the dataset is the new one, and the next writer that appends
// completes it.
#pragma once

#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "store/store.h"

namespace esker::zarr {

/// Whether the directory has no dataset, but what is left of a run that began to create one.
Result<bool> is_begun(const Store& store, const Paths& paths);
/// Writes everything under temporary names. Can be called again after a failure.
Status stage_group(Store& store, const Paths& paths, const Model& model, bool durable);
/// Gives everything its name, and removes what is not of the new group. `replaces`: there is another dataset.
Status publish_group(Store& store, const Paths& paths, const Group& group, bool replaces, bool durable);
/// Completes publish_group() for the group that is there, or removes what was staged to replace it.
Status finish_creation(Store& store, const Paths& paths, const Group& group, bool durable);

}  // namespace esker::zarr
