// The outline of a schema in a netCDF file: what the file's dimensions and variables do not say of it.
//
//   {"format":3,"grids":[{"surface":["x","y"]},{"ice":["x","y","z"]}]}     a plain model
//
// docs/formats/cdf.md, section 6. Pure.
#pragma once

#include <string>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/model/header.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {

/// The outline of a schema whose dimensions and variables `header` has. If format 3 says too little of the
/// schema, that of schema_json.h.
std::string print_outline(const Schema& schema, const Header& header);

/// The schema of a file, without coordinates and attributes. `read_values` is asked for values of scalars.
/// Errors: its own; kDataLoss: the outline is damaged, or does not fit the header; kUnsupported: a newer
/// format.
Result<Schema> read_outline(const std::string& text, const Header& header, const ReadValues& read_values);

/// A zero or a blank in place of the value of each scalar.
ReadValues no_values(const Header& header);

}  // namespace esker::netcdf
