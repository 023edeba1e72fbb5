// StoredSchema: the dimensions, variables and attributes that a netCDF file has for a schema. Pure.
//
// Dimensions keep their names; that of the records is Schema::time_name(), with a variable of that name for
// the steps' time values, but for a schema without times, whose fixed fields the number of records commits all
// the same. The implicit dimension of time series is left out. A scalar is a variable without dimensions; a
// text of more than one character has a dimension `stringN`. A field is a variable on the dimensions of its grid, the slowest first (and `time` before
// them, unless it is fixed); its components are one more dimension, the fastest. Coordinates are variables
// named like their dimension.
#pragma once

#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "formats/netcdf/model/header.h"

namespace esker::netcdf {

struct StoredSchema {
  Header header;                       ///< of no records where the file is to be made
  std::vector<int> variable_of_field;  ///< [position in Schema::fields()]
  int time_variable = -1;              ///< -1: the schema has no times, or the file no variable for them
  struct Coordinate {
    int variable = 0;
    int grid = 0;  ///< that has the values
    std::string dim;
  };
  std::vector<Coordinate> coordinates;
  std::vector<int> variable_of_scalar;  ///< [position in Schema::scalars()]; -1: the file has it no more
};

/// The coordinates of a grid that has some along `dim`, in their type.
Numbers coordinates_of(const Grid& grid, const std::string& dim);

/// Dimensions, variables and attributes for a schema; where they are placed in the file is up to the encoding.
/// kInvalidArgument: coordinates of one dimension that differ between grids.
Result<StoredSchema> describe_file(const Schema& schema);

/// The attribute of the file that holds the schema's outline (schema_json.h): what dimensions, variables and
/// attributes do not say.
inline constexpr const char* kSchemaAttribute = "esker_schema";

/// The variables of a schema in the header of a file that holds it. kDataLoss: one is missing, or of another
/// type or shape.
Result<StoredSchema> find_file(const Schema& schema, const Header& header);

}  // namespace esker::netcdf
