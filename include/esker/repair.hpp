// repair: removes what runs that were killed left in a dataset, and steps after a time.
//
//   esker::repair("run.idx").check();         // files of unfinished steps, temporary files, the lock
//   esker::repair("run.nc", 150.0).check();   // and every step after time 150
#pragma once

#include <optional>
#include <string>

#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// Does what appending does before the first step, in any format that Esker writes; and drops, with `to_time`,
/// the steps after it. A dataset in two formats is repaired in both, by the path of either; where its halves
/// hold different steps only `to_time` says which of them go. Steps that were not synced when the machine went
/// down stay in IDX datasets whose checksums are right; else, and in netCDF files, `to_time` must drop them.
/// Local. Errors: kNotFound, kAlreadyExists (a writer's lock), kDataLoss, kUnsupported (not written by Esker),
/// kIoError.
ESKER_API Status repair(const std::string& path, const std::optional<double>& to_time = std::nullopt);

}  // namespace esker
