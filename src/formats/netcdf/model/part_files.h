// The files of a dataset with one file per partition, by name (docs/formats/netcdf4.md, section 5).
#pragma once

#include <string>

#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::netcdf {

/// The directory of the parts of a new dataset at `path`, next to its file: "run.nc" -> "run.nc.parts".
std::string parts_directory(const std::string& path);
/// The name of a part in that directory, without suffix: "part_0002".
std::string name_of_part(int file);
inline constexpr const char* kPartSuffix = ".nc";
/// The same with directory and suffix.
std::string path_of_part(const std::string& directory, int file);
/// Whether a file in the directory is a part, or was left by a writer of one: "part_0002.nc.esker-journal".
bool is_name_of_part(const std::string& name);

/// Removes the parts of a dataset that another one has replaced, and their directory, unless that has other
/// files.
Status remove_parts(Store& store, const std::string& path);

}  // namespace esker::netcdf
