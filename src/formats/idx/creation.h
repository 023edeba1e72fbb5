// Creation: the files of a dataset without steps, made so that a run that is killed at any call can be
// followed.
//
// 1. The schema is written whole under its temporary name.
// 2. The .idx (the catalog, of several parts) without steps replaces the existing dataset's: from now on the
//    dataset is the new one.
// 3. The files of the replaced dataset go, and the schema gets its name.
//
// A run that dies before 2 leaves what was there. One that dies after it leaves an unfinished creation, which
// whoever appends finishes.
#pragma once

#include <string>

#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

/// Step 1. `text` is the schema's.
Status stage_schema(Store& store, const DatasetPaths& paths, bool single, const std::string& text,
                    bool durable);

/// Step 3. May be called again after a failure.
Status finish_creation(Store& store, const DatasetPaths& paths, bool single, bool durable);

/// Whether a run has died in step 3 of creating the dataset that is there: `single` if there is no catalog.
Result<bool> is_unfinished(Store& store, const DatasetPaths& paths, bool single);

/// Whether the directory is empty, or holds no more than a run leaves that dies in step 1 or 2.
Result<bool> is_barely_begun(Store& store, const DatasetPaths& paths);

}  // namespace esker::idx
