// What the environment and earlier calls say about files that are opened.
#pragma once

namespace esker::pnetcdf {

/// ncmpi_set_default_format(): a value of NC_FORMAT_*.
int& default_format();

/// A variable of the environment that is 0 or something else; `preset` where it is missing.
bool is_on(const char* variable, bool preset);

/// A path without the prefix that names a file system to ROMIO ("ufs:run.nc"). Other colons belong to the
/// name, as in "wrfout_d01_2000-01-01_00:00:00".
const char* without_prefix(const char* path);

}  // namespace esker::pnetcdf
