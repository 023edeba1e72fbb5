// Opens a dataset for reading, whatever its format.
#pragma once

#include <memory>
#include <string>

#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

/// `path` as for Dataset::open. A file is opened as what it begins with; without one at the path, an IDX
/// dataset is looked for first. Errors: kNotFound, kDataLoss, kUnsupported.
Result<std::unique_ptr<OpenedDataset>> open_dataset(const std::shared_ptr<Store>& store,
                                                    const std::string& path);

}  // namespace esker
