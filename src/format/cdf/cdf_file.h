// CdfFile: how a schema stands in one CDF file - variables, types, places. Pure.
//
// Dimensions keep their names; that of the records is Schema::time_name(), with a variable of that name for
// the steps' time values, but for a schema without times, whose fixed fields the number of records commits all
// the same. The implicit dimension of time series is left out. A scalar is a variable without dimensions; a
// text of more than one character has a dimension `stringN`. A field is a variable on the dimensions of its grid, the slowest first (and `time` before
// them, unless it is fixed); its components are one more dimension, the fastest. Coordinates are variables
// named like their dimension. Fixed variables come first, each larger one aligned; records begin aligned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "format/cdf/header.h"

namespace esker::cdf {

struct FileParameters {
  std::optional<Version> version;        ///< without: the smallest that holds the schema
  Index spare_header_bytes = 128 << 10;  ///< behind the header, for attributes that are added later
  Index alignment_bytes = 4096;          ///< of the records, and of variables at least so large
};

struct CdfFile {
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

  /// Where the values of a variable begin in the file at a step.
  [[nodiscard]] Index offset_of(int variable, Index step) const;
  /// Behind the last value of all variables and records.
  [[nodiscard]] Index end_of_data() const;
  /// Bytes of the file when it holds that many records; of a file that make_file() laid out.
  [[nodiscard]] Index file_bytes(Index num_records) const;
};

/// The coordinates of a grid that has some along `dim`, in their type.
Numbers coordinates_of(const Grid& grid, const std::string& dim);

/// The schema with the types that CDF-1 and CDF-2 have for coordinates and times: int32 where that holds the
/// values, else float64. kOutOfRange: neither does.
Result<Schema> in_classic_types(Schema schema);

/// What make_file() begins with: dimensions, variables and attributes, without places; also those of a
/// NetCDF-4 file (format/hdf5).
Result<CdfFile> describe_file(const Schema& schema);

/// kInvalidArgument: names that CDF files use otherwise, types or sizes that the version does not have,
/// coordinates of one dimension that differ between grids.
Result<CdfFile> make_file(const Schema& schema, const FileParameters& parameters);

/// The attribute of the file that holds the schema's outline (schema_json.h): what dimensions, variables and
/// attributes do not say.
inline constexpr const char* kSchemaAttribute = "esker_schema";

/// The variables of a schema in the header of a file that holds it. kDataLoss: one is missing, or of another
/// type or shape.
Result<CdfFile> find_file(const Schema& schema, const Header& header);

}  // namespace esker::cdf
