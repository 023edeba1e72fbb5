// Fill values: what a variable contains where nothing was written.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/netcdf/model/header.h"
#include "store/store.h"

namespace esker::netcdf {

/// One value as stored in the file: the attribute _FillValue if it has the variable's type, else netCDF's
/// default.
std::vector<std::byte> fill_value(const Variable& variable);

/// The same in memory; of a type: netCDF's default.
std::vector<std::byte> fill_in_memory(const Variable& variable);
std::vector<std::byte> fill_in_memory(Type type);

/// Writes fill values, starting at `offset`.
Status write_fill(File& file, const Variable& variable, Index offset, Index n_bytes);

}  // namespace esker::netcdf
