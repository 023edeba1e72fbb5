// Copies the values of variables from one file to another in which they are elsewhere. Collective.
#pragma once

#include "comm/comm.h"
#include "formats/netcdf/cdf/header.h"
#include "store/store.h"

namespace esker::cdf {

/// Bytes of variables that both headers have, at equal positions in their lists, with all records of `from`.
/// Collective: each rank copies a share. Memory: 1 MiB.
Index bytes_to_move(const Header& from, const Header& to);
Status move_variables(Comm& comm, const File& source, const Header& from, File& target, const Header& to);

}  // namespace esker::cdf
