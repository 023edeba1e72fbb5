// Creation: creates the files of a dataset without steps, in an order that survives a kill at any call.
//
// 1. The schema is written completely under its temporary name.
// 2. The .idx without steps (with several parts: the catalog) replaces that of the existing dataset. From now
//    on the dataset is the new one.
// 3. The files of the replaced dataset are removed, and the schema gets its name.
//
// A run that dies before step 2 leaves the old dataset. One that dies after it leaves an unfinished creation,
// which the next writer that appends completes.
#pragma once

#include <string>

#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

/// Step 1. `text` is the text of the schema.
Status stage_schema(Store& store, const DatasetPaths& paths, bool single, const std::string& text,
                    bool durable);

/// Step 3. Can be called again after a failure.
Status finish_creation(Store& store, const DatasetPaths& paths, bool single, bool durable);

/// Whether a run died in step 3 while it created the existing dataset; `single`: there is no catalog.
Result<bool> is_unfinished(Store& store, const DatasetPaths& paths, bool single);

/// Whether the directory is empty, or holds only what a run leaves that dies in step 1 or 2.
Result<bool> is_barely_begun(Store& store, const DatasetPaths& paths);

}  // namespace esker::idx
