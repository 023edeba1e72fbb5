#include "write/dataset_files.h"

#include <utility>

#include "store/commit.h"

namespace esker {

DatasetFiles::DatasetFiles(std::shared_ptr<Store> given_store, std::unique_ptr<FormatWriter> given_format,
                           Fsync given_fsync)
    : store(std::move(given_store)),
      format(std::move(given_format)),
      top(directory_of(format->stem())),
      fsync(given_fsync),
      unsynced(*store, format->stem(), top, fsync == Fsync::kClose) {}

std::string default_report(const DatasetFiles& files) { return files.format->stem() + ".report.json"; }

Status remove_old_report(const DatasetFiles& files) {
  return files.store->remove(temporary_of(default_report(files)));
}

UnsyncedSteps::PathsOf paths_of_steps(const DatasetFiles& files) {
  return [&files](Index begin, Index end) {
    std::vector<std::string> paths = files.format->data_paths(begin, end);
    for (std::string& path : files.format->metadata_paths()) paths.push_back(std::move(path));
    return paths;
  };
}

}  // namespace esker
