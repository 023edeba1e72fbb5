// The schema of the samples that a view has: dimensions are shorter, and coordinates are those of the
// samples.
#pragma once

#include <optional>
#include <vector>

#include "door.h"
#include "esker/dataset.hpp"

namespace esker::netcdf_plugin {

/// The indices of a dataset's dimension that a view has: first + i * stride, 0 <= i < count. The dataset's
/// first index is `origin`.
struct DimPart {
  Index origin = 0, first = 0, stride = 1, count = 1;
};

/// [position in Schema::dims()]. Level and box are those of the field with the most samples. Dimensions that
/// it does not have are whole. Errors: those of Dataset::select(); kOutOfRange: the box has no sample of the
/// level.
Result<std::vector<DimPart>> dim_parts(const Dataset& dataset, const Door& door);

/// Fields, grids and scalars are those of the dataset, in the same order.
Result<Schema> level_schema(const Schema& schema, const std::vector<DimPart>& parts);

}  // namespace esker::netcdf_plugin
