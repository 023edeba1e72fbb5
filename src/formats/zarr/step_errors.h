// The largest errors that a lossy codec made in a field: an array next to that of the field.
//
//   run.zarr/temp_max_error     float32, one value per step, or one value if the field is fixed
//
// Its values follow those of times: they are written before the group's metadata, whose replacement commits
// the step. A step without the field has NaN. Source: docs/formats/zarr.md, section 2.
#pragma once

#include <string>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "store/store.h"

namespace esker::zarr {

/// Adds the arrays of all fields that are rounded to a new group, in its finest level. kInvalidArgument: a name is taken.
Status add_error_arrays(const Schema& schema, Model& model);
/// kDataLoss: an array of errors in a group that exists is not as Esker writes them.
Status check_error_arrays(const Schema& schema, const Model& model);

/// The name of the array with the errors of another one; or the path.
std::string name_of_errors(const std::string& array);
/// That of a field; null if it has none.
const Array* errors_of(const Model& model, std::size_t field);

/// Rank 0: stores the error of a step; NaN: none. Fills a new file with fill values.
Status write_error(Store& store, const Paths& paths, const Array& array, Index step, float error,
                   bool durable);
/// The errors of the steps of a file; NaN where there is none.
Result<std::vector<float>> read_errors(Store& store, const Paths& paths, const Array& array, Index file);

}  // namespace esker::zarr
