#include "write/files_to_sync.h"

#include <algorithm>

#include "base/macros.h"
#include "write/step_files.h"

namespace esker {

void FilesToSync::add(Index step, std::vector<std::string> paths) {
  std::vector<std::string>& noted = of_steps_[step];
  for (std::string& path : paths) {
    if (std::ranges::find(noted, path) == noted.end()) noted.push_back(std::move(path));
  }
}

Status FilesToSync::sync(Store& store, const FormatWriter& format, const std::string& top) const {
  for (const auto& [step, paths] : of_steps_) ESKER_RETURN_IF_ERROR(sync_files(store, paths, top));
  for (const int partition : partitions_) {
    ESKER_RETURN_IF_ERROR(sync_files(store, format.indexes_of(partition), top));
  }
  return {};
}

}  // namespace esker
