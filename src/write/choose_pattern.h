// choose_pattern: the FilePattern of a run, from what rank 0's file system says.
#pragma once

#include <string>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/status.hpp"
#include "plan/file_pattern.h"
#include "store/store.h"
#include "write/report.h"

namespace esker {

/// Stripes are those of the options, or what rank 0's file system says of new files next to `path`. Collective,
/// the same on all ranks; errors are those of all ranks: kInvalidArgument (stripes of unknown size).
Result<FilePattern> choose_pattern(Comm& comm, const Store& store, const std::string& path, const Options& options);

/// For the report, without hints.
StorageReport describe(const FilePattern& pattern);

}  // namespace esker
