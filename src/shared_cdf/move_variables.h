// Copies the values of variables from one file to another in which they are elsewhere. Collective.
#pragma once

#include "comm/comm.h"
#include "formats/netcdf/cdf/header.h"
#include "store/store.h"

namespace esker::cdf {

/// Bytes of the variables that both headers have, at equal positions in their lists, with all records of
/// `from`. Pure.
Index bytes_to_move(const Header& from, const Header& to);

/// Copies them. Collective: each rank copies a share; errors are those of all ranks. Memory: 1 MiB.
Status move_variables(Comm& comm, const File& source, const Header& from, File& target, const Header& to);

}  // namespace esker::cdf
