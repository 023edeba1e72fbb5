// Where the variables of a definition are, next to those that a file has already.
#pragma once

#include "formats/netcdf/cdf/cdf_file.h"

namespace esker::cdf {

/// Sets the offsets of `header`, whose first variables are those of `stored`. True: these stay where they
/// are. False: there is no room for that, and all are placed again. Pure.
bool place_next_to(const Header& stored, const FileRoom& room, Header& header);

}  // namespace esker::cdf
