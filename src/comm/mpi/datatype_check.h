// Checks whether the MPI library packs the datatypes that MpiPutSource makes correctly.
#pragma once

#include "esker/types/status.hpp"

namespace esker {

/// Packs samples of every element size along axes of either direction, and compares the result with a plain
/// copy. kUnsupported names the first datatype whose bytes differ. Local; done once per process, in
/// microseconds. The reason: Open MPI 4.1.4 packs vectors with a stride of -1 bytes in ascending order.
Status check_datatypes();

}  // namespace esker
