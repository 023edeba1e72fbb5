// repair: removes the leftovers of killed runs from a dataset and, on request, the steps after a time.
//
//   esker::repair("run.idx").check();         // files of unfinished steps, temporary files, the lock
//   esker::repair("run.nc", 150.0).check();   // and every step after time 150
#pragma once

#include <optional>
#include <string>

#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// Cleans up as appending does before its first step, in any format that Esker writes. With `to_time`, also
/// drops the steps after it. A dataset in two formats is repaired in both; `path` may name either. If the two
/// formats contain different steps, `to_time` must say which steps to drop. Steps that were not synced before
/// a machine failure are kept in IDX datasets if their checksums match. Otherwise, and in netCDF files, drop
/// them with `to_time`. Local. Errors: kNotFound, kAlreadyExists (a writer's lock), kDataLoss, kUnsupported
/// (not written by Esker), kIoError.
ESKER_API Status repair(const std::string& path, const std::optional<double>& to_time = std::nullopt);

}  // namespace esker
