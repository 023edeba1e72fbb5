// merge: makes the bytes of partition_index=global from a dataset of partition_index=hybrid.
//
//   esker::merge("run.idx").check();
#pragma once

#include <string>

#include "esker/types/export.h"
#include "esker/types/merge_report.hpp"  // IWYU pragma: export
#include "esker/types/status.hpp"

namespace esker {

/// Brings all steps into the global order, in place. For each step, field and brick one block is read and
/// replaced; other blocks stay where they are. Takes memory for one block per brick. If it is interrupted at
/// any point, another call finishes it; until then, reading the step that it was about is an error. Nothing
/// happens if there is nothing to merge. Local. Errors: kNotFound, kAlreadyExists (a writer's lock),
/// kInvalidArgument (a link, or a part of a dataset), kDataLoss (a block is missing or damaged), kIoError.
ESKER_API Result<MergeReport> merge(const std::string& path);

}  // namespace esker
