#include "formats/netcdf/model/part_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/macros.h"

namespace esker::netcdf {

std::string parts_directory(const std::string& path) { return path + ".parts"; }

std::string name_of_part(int file) { return fmt::format("part_{:04}", file); }

std::string path_of_part(const std::string& directory, int file) {
  return directory + '/' + name_of_part(file) + kPartSuffix;
}

bool is_name_of_part(const std::string& name) { return name.starts_with("part_"); }

Status remove_parts(Store& store, const std::string& path) {
  const std::string directory = parts_directory(path);
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(directory));
  if (names.empty()) return {};
  if (std::all_of(names.begin(), names.end(), is_name_of_part)) return store.remove_all(directory);
  for (const std::string& name : names) {
    if (is_name_of_part(name)) ESKER_RETURN_IF_ERROR(store.remove(directory + '/' + name));
  }
  return {};
}

}  // namespace esker::netcdf
