// Accesses as boxes of arrays whose indices may be apart in the file: what a transfer of runs moves.
#pragma once

#include <span>
#include <vector>

#include "formats/netcdf/cdf/header.h"
#include "shared_cdf/access.h"
#include "transfer/array_boxes.h"

namespace esker::cdf {

/// One list of boxes for each access, which has passed check_access() and outlives it. Local, pure.
std::vector<ArrayBoxes> boxes_of(const Header& header, std::span<const Access> accesses);

/// Finds the fixed variable, or the record of a variable, that a byte of the file belongs to. May throw.
EndOfArray ends_of_arrays(const Header& header);

}  // namespace esker::cdf
