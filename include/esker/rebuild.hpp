// rebuild_idx: a missing or damaged .idx, made again from the block files next to it. renamed_idx: one under
// another name.
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

/// What to rebuild, and what the files cannot say.
struct RebuildRequest {
  std::string path;           ///< of the .idx, which may be missing; of several, of one
  std::string like;           ///< an .idx of the same box, fields and blocks; empty: none
  std::vector<double> times;  ///< time values of step 0, 1, 2 ...; empty: as they are found
  int bits_per_block = 0;     ///< where a schema file is all there is; 0: as Esker chooses
  Index blocks_per_file = 0;  ///< the same
  bool write = false;         ///< false: report alone
};

/// What was found.
struct RebuildReport {
  std::string path;                   ///< of the .idx
  std::string source;                 ///< the file that says box, fields and blocks
  std::vector<std::string> deduced;   ///< what was concluded, and from what
  std::vector<std::string> given_up;  ///< what is lost, and why
  std::string text;                   ///< of the new .idx
  Index steps = 0;                    ///< that are whole
  bool written = false;               ///< else nothing was changed
  std::string old_file;  ///< where the old .idx is now; empty: there was none, or nothing was written
};

/// Finds what the .idx of a dataset must have said, and, with `write`, replaces it; block files stay as they
/// are. Box, fields and blocks are those of `like`, of an .idx that still says them, or of the schema file
/// beside it; steps are those whose blocks are all there and whole. Of an .idx in a directory of several the
/// steps are those of the directory's catalog, and what is not whole of one is absent from it. Local; reads
/// every block. Errors: kInvalidArgument (nothing says box and fields, too few times, the path of a
/// directory), kDataLoss (no step is whole, or the blocks are not of that form), kAlreadyExists (a writer's
/// lock), kUnsupported (ARCO, PIDX' chunks), kIoError.
ESKER_API Result<RebuildReport> rebuild_idx(const RebuildRequest& request);

/// The text that the .idx at `path` must have to be called `name`.idx, with its blocks in the directory `name`
/// next to it. Changes nothing. Local. Errors: kNotFound, kDataLoss (damaged), kUnsupported (its blocks are not
/// in a directory of one name next to it).
ESKER_API Result<std::string> renamed_idx(const std::string& path, const std::string& name);

}  // namespace esker
