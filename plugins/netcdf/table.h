// The table of functions by which netCDF-C reads datasets of Esker.
#pragma once

#include <netcdf.h>
#include <netcdf_dispatch.h>

namespace esker::netcdf_plugin {

/// The number of libraries of netCDF-C in one process that can each have a table: the numbers of open files
/// are theirs, so that they may be the same in two libraries.
inline constexpr int kMaxLibraries = 4;

/// The table for a library, 0 ... kMaxLibraries - 1.
const NC_Dispatch* table(int library);

}  // namespace esker::netcdf_plugin
