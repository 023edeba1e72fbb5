// A complete format in one folder: the example of docs/internals/adding-a-format.md.
//
//   run.raw               header, a text: version, times of the committed steps, schema
//   run.samples/temp.3    the samples of field `temp` at step 3: row-major, x fastest, little-endian
//
// A step is committed when a new header replaces the old one by rename; its samples are then complete. Fixed
// fields are stored at step 0, a field that is not due at a step has no file.
#pragma once

#include "esker/types/status.hpp"

namespace esker::raw {

/// Registers the format: option format=raw, suffix .raw. Once, before other calls of Esker.
Status register_raw_format();

}  // namespace esker::raw
