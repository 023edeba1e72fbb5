// Recognizes files of netCDF formats that Esker wrote and may therefore replace.
#pragma once

#include <string>

#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

/// Whether Esker wrote the CDF or HDF5 file at `path`. False also for a damaged file, and for an HDF5 file if
/// Esker was built without HDF5. kIoError: the file cannot be read. kOutOfMemory: not known.
Result<bool> is_esker_file(Store& store, const std::string& path);

}  // namespace esker
