// Schemas of files in netCDF's data model that other programs wrote, as far as a schema can describe them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/netcdf/model/existing.h"

namespace esker::netcdf {

/// Numeric variables with a dimension are fields; they are fixed fields if they have no record dimension.
/// Variables on the record dimension alone are time series. A variable named like its only dimension holds
/// the coordinates of that dimension, or the times of the steps. Numbers without dimensions, and texts with
/// at most one, are scalars. Variables on the same dimensions share a grid. `warnings` names what a schema
/// cannot hold. Returns the errors of `read_values`.
Result<Existing> read_foreign(const Header& header, const ReadValues& read_values,
                              std::vector<std::string>& warnings);
}  // namespace esker::netcdf
