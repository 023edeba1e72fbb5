// DatasetFiles: where and how the files of a dataset that is being written are stored.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "store/store.h"
#include "write/files_to_sync.h"
#include "write/unsynced_steps.h"

namespace esker {

struct DatasetFiles {
  DatasetFiles(std::shared_ptr<Store> given_store, std::unique_ptr<FormatWriter> given_format,
               Fsync given_fsync);

  std::shared_ptr<Store> store;
  std::unique_ptr<FormatWriter> format;
  std::string top;  ///< the directory that holds the dataset
  Fsync fsync;
  UnsyncedSteps unsynced;  ///< used on rank 0
  FilesToSync to_sync;     ///< of this rank
};

/// Where the report of a run goes by default. Local.
std::string default_report(const DatasetFiles& files);

/// Removes what a run that died while writing its report left. Rank 0.
Status remove_old_report(const DatasetFiles& files);

/// For UnsyncedSteps; valid as long as `files` is. Rank 0.
UnsyncedSteps::PathsOf paths_of_steps(const DatasetFiles& files);

}  // namespace esker
