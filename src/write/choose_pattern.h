// choose_pattern: selects the FilePattern of a run from the properties of rank 0's file system.
#pragma once

#include <string>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "plan/file_pattern.h"
#include "store/store.h"
#include "write/report.h"

namespace esker {

/// Stripes are those of the options, or those that rank 0's file system reports for new files next to `path`.
/// Collective; the same on all ranks. Errors are agreed on all ranks: kInvalidArgument (stripes of unknown
/// size).
Result<FilePattern> choose_pattern(Comm& comm, const Store& store, const std::string& path,
                                   const Options& options);

/// For the report, without hints.
StorageReport describe(const FilePattern& pattern);

}  // namespace esker
