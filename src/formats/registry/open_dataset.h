// Opens a dataset of any format for reading.
#pragma once

#include <memory>
#include <string>

#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

/// For `path` see Dataset::open. The magic bytes of a file decide its format; if there is no file at the
/// path, an IDX dataset is looked for first. Errors: kNotFound, kDataLoss, kUnsupported.
Result<std::unique_ptr<OpenedDataset>> open_dataset(const std::shared_ptr<Store>& store,
                                                    const std::string& path);

}  // namespace esker
