// What stands in a variable where nothing was written.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/netcdf/model/header.h"
#include "store/store.h"

namespace esker::netcdf {

/// One value as in the file: that of the attribute _FillValue if it has one of its type, else netCDF's own.
std::vector<std::byte> fill_value(const Variable& variable);

/// Writes fill values from `offset` on.
Status write_fill(File& file, const Variable& variable, Index offset, Index n_bytes);

}  // namespace esker::netcdf
