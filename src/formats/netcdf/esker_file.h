// Files of netCDF formats that Esker may replace, as it made them itself.
#pragma once

#include <string>

#include "esker/status.hpp"
#include "store/store.h"

namespace esker {

/// Whether Esker wrote the CDF or HDF5 file at `path`; false also for a damaged one, and for HDF5 where Esker
/// was built without it. kIoError: it cannot be read.
Result<bool> is_esker_file(Store& store, const std::string& path);

}  // namespace esker
