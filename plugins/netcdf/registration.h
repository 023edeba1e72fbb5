// Registers the plug-in in every library of netCDF-C that the process has loaded: a program may have several,
// and those of Python packages have other names.
#pragma once

#include <netcdf.h>
#include <netcdf_dispatch.h>

extern "C" {

/// Registers the table for .idx files and doors. netCDF-C 4.10 and later calls it if .ncrc names it with
/// NETCDF.UDF0.LIBRARY and NETCDF.UDF0.INIT. Can be repeated. Returns NC_NOERR, or NC_EINVAL if no library is
/// loaded or all of its slots are taken.
__attribute__((visibility("default"))) int esker_netcdf_init(void);

/// The same for libraries that register what the function returns; null in place of an error.
__attribute__((visibility("default"))) const NC_Dispatch* esker_netcdf_table(void);
}
