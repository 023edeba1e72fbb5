// Files of netCDF's data model that other programs wrote, as far as a schema can say what is in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/netcdf/model/existing.h"

namespace esker::netcdf {

/// Numeric variables with an axis are fields, fixed ones where they have no records; along the records alone
/// they are time series. Those named like their only dimension are its coordinates, or the steps' times.
/// Numbers without axes, and texts of one axis at most, are scalars. Variables on the same dimensions share a
/// grid. `warnings` names what a schema cannot hold. Errors are those of `read_values`.
Result<Existing> read_foreign(const Header& header, const ReadValues& read_values,
                              std::vector<std::string>& warnings);
}  // namespace esker::netcdf
