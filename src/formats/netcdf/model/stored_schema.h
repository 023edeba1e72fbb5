// StoredSchema: the dimensions, variables and attributes that a netCDF file has for a schema. Pure.
//
// Dimensions keep their names. The record dimension is named Schema::time_name(), and a variable of that name
// holds the time values of the steps. A schema without times has no such variable; the number of records
// still commits its fixed fields. The implicit dimension of time series is left out. A scalar is a variable
// without dimensions; a text of more than one character has a dimension `stringN`. A field is a variable on
// the dimensions of its grid, slowest first, preceded by `time` unless the field is fixed. Components are one
// more dimension, the fastest. Coordinates are variables named like their dimension.
#pragma once

#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/model/header.h"

namespace esker::netcdf {

struct StoredSchema {
  Header header;                       ///< has no records when the file is to be created
  std::vector<int> variable_of_field;  ///< [position in Schema::fields()]
  int time_variable = -1;              ///< -1: the schema has no times, or the file has no variable for them
  struct Coordinate {
    int variable = 0;
    int grid = 0;  ///< the grid that has the values
    std::string dim;
  };
  std::vector<Coordinate> coordinates;
  std::vector<int> variable_of_scalar;  ///< [position in Schema::scalars()]; -1: no longer in the file
};

/// The coordinates along `dim`, in their type, of a grid that has some.
Numbers coordinates_of(const Grid& grid, const std::string& dim);

/// Dimensions, variables and attributes for a schema. The encoding decides where they are placed in the file.
/// kInvalidArgument: two grids have different coordinates for one dimension.
Result<StoredSchema> describe_file(const Schema& schema);

/// The file attribute that holds the outline of the schema (outline.h).
inline constexpr const char* kSchemaAttribute = "esker_schema";

/// The variables of a schema, found in the header of a file that holds it. kDataLoss: a variable is missing,
/// or has another type or shape.
Result<StoredSchema> find_file(const Schema& schema, const Header& header);

}  // namespace esker::netcdf
