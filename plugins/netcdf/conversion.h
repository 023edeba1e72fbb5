// Converts numbers between the types of netCDF, as its C interface defines it for memory and file.
#pragma once

#include <netcdf.h>

#include <cstddef>

#include "formats/netcdf/model/header.h"

namespace esker::netcdf_plugin {

/// Converts `count` values. NC_ERANGE: some are beyond the range of `to`; the others are converted all the
/// same. NC_ECHAR: between text and numbers. NC_EBADTYPE: `to` is no number.
int convert(netcdf::Type from, const std::byte* values, std::size_t count, nc_type to, void* out);

}  // namespace esker::netcdf_plugin
