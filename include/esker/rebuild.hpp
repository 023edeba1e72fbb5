// rebuild_idx: restores a missing or damaged .idx file from the block files next to it. renamed_idx,
// renamed_series: the text of an .idx file, or of a .vtkhdf.series, after a rename.
//
//   esker::RebuildRequest request{"run.idx"};
//   request.like = "other.idx";
//   const esker::RebuildReport found = esker::rebuild_idx(request).value();  // changes nothing
#pragma once

#include <string>

#include "esker/types/export.h"
#include "esker/types/rebuild_report.hpp"  // IWYU pragma: export
#include "esker/types/status.hpp"

namespace esker {

/// Reconstructs the .idx of a dataset and, with `write`, replaces it. Block files are not changed. Box,
/// fields and blocks are taken from `like`, from what is readable of the old .idx, or from the schema file
/// next to it. Steps are those whose blocks are all present and intact. If the .idx is one of several in a
/// directory, the steps are those of the directory's catalog, and fields that are incomplete at a step are
/// absent from it. Local; reads every block. Errors: kInvalidArgument (box and fields are unknown, too few
/// times, `path` is a directory), kDataLoss (no complete step, or blocks of another layout), kAlreadyExists
/// (a writer's lock), kUnsupported (ARCO, PIDX's chunks), kIoError.
ESKER_API Result<RebuildReport> rebuild_idx(const RebuildRequest& request);

/// The text of the .idx at `path` after renaming it to `name`.idx and its block directory to `name`. Changes
/// no file. Local. Errors: kNotFound, kDataLoss (damaged), kUnsupported (its blocks are not in a single
/// directory next to it).
ESKER_API Result<std::string> renamed_idx(const std::string& path, const std::string& name);

/// The text of the .vtkhdf.series at `path` after renaming it to `name`.vtkhdf.series and the directory of
/// its step files to `name`.vtkhdf.steps. Changes no file. Local. Errors: kNotFound, kDataLoss (damaged, or
/// of another program), kUnsupported (a newer format).
ESKER_API Result<std::string> renamed_series(const std::string& path, const std::string& name);

}  // namespace esker
