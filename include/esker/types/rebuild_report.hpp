// RebuildRequest, RebuildReport: what rebuild_idx() takes and returns.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"

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

}  // namespace esker
