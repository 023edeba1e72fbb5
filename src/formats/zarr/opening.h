// Opens a Zarr group or array for reading, whichever program wrote it.
#pragma once

#include <memory>
#include <string>

#include "esker/types/status.hpp"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker::zarr {

/// `path`: the directory of the group or array. A group that Esker wrote is read as such; if another program
/// changed it, like those of other programs, with a warning. Errors: kNotFound, kDataLoss, kUnsupported,
/// kIoError.
Result<std::unique_ptr<OpenedDataset>> open_zarr(const std::shared_ptr<Store>& store,
                                                 const std::string& path);

}  // namespace esker::zarr
