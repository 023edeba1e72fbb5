// Attributes as xarray needs them in Zarr, where they have no types. Pure.
#pragma once

#include "formats/zarr/metadata.h"

namespace esker::zarr {

/// Rounds `_FillValue` and `missing_value` of float32 to its values: xarray compares them with the samples,
/// and netCDF files may have them as float64. A text loses them, and `_Encoding`: xarray would decode it
/// again.
void fit_attributes(Array& array);

}  // namespace esker::zarr
