// The header of netCDF's model that the arrays of another program's Zarr group have. Pure.
//
// Axes without a name are x, y, z ... from the last one on, as in boxes: those of the same axis and extent
// are one dimension. The steps are the dimension `time`, if it is the first one of an array, or else a
// dimension whose coordinates have units like "days since 2000-01-01". An array that does not fit is left out
// with the reason.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/model/header.h"
#include "formats/zarr/foreign_group.h"

namespace esker::zarr {

/// Coordinates, times and texts are held in memory.
inline constexpr Index kMostCoordinates = Index{1} << 25;

/// One variable for each array of the group, in the same order. `texts`: of the arrays that are texts, in
/// their order.
netcdf::Header header_of(const ForeignGroup& group, const std::vector<std::string>& texts,
                         std::vector<std::string>& warnings);

}  // namespace esker::zarr
