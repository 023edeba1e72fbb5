// The formats of the library.
#pragma once

#include <deque>

#include "formats/registry/formats.h"

namespace esker {

/// IDX first. HDF5 is in the list even if the library was built without it; its functions then say so.
std::deque<FormatEntry> built_in_formats();

}  // namespace esker
