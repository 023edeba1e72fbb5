// rebuild_idx: restores a missing or damaged .idx file from the block files next to it. renamed_idx: the text
// of an .idx file after a rename.
//
//   esker::RebuildRequest request{"run.idx"};
//   request.like = "other.idx";
//   const esker::RebuildReport found = esker::rebuild_idx(request).value();  // changes nothing
#pragma once

#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// What to rebuild, and information that the files do not contain.
struct RebuildRequest {
  std::string path;           ///< of one .idx file, which may be missing
  std::string like;           ///< an .idx with the same box, fields and blocks; empty: none
  std::vector<double> times;  ///< time values of step 0, 1, 2 ...; empty: as found in the files
  int bits_per_block = 0;     ///< if only a schema file exists; 0: Esker's default
  Index blocks_per_file = 0;  ///< the same
  bool write = false;         ///< false: only report
};

/// What was found.
struct RebuildReport {
  std::string path;                   ///< of the .idx
  std::string source;                 ///< the file that box, fields and blocks were taken from
  std::vector<std::string> deduced;   ///< what was deduced, and from what
  std::vector<std::string> given_up;  ///< what is lost, and why
  std::string text;                   ///< of the new .idx
  Index steps = 0;                    ///< complete steps
  bool written = false;               ///< false: nothing was changed
  std::string old_file;  ///< the old .idx, renamed; empty: there was none, or nothing was written
};

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

}  // namespace esker
