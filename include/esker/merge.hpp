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
/// replaced; other blocks stay where they are. Takes memory for the blocks of a field that are replaced, one
/// per brick, and in the file system a journal next to the dataset, of these blocks of all fields of a step.
/// If it is interrupted at any point, another call finishes it; until then, a reader that opens the dataset
/// gets an error for the step that it was about. No other process may have the dataset open: a reader that
/// opened it before may get samples of other places. Nothing happens to datasets without such steps, also of
/// other formats; of IDX datasets it takes the writer's lock. Local. Errors: kNotFound, kAlreadyExists (a
/// writer's lock), kInvalidArgument (a link, or a part of a dataset), kDataLoss (a block is missing or
/// damaged), kUnsupported (an .idx of bricks without Esker's record), kIoError.
ESKER_API Result<MergeReport> merge(const std::string& path);

}  // namespace esker
