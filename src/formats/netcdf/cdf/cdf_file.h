// Where the variables of a schema are placed in a CDF file, and their values. Fixed variables come first, each
// larger one aligned; records begin aligned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "formats/netcdf/cdf/header.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/stored_schema.h"
#include "store/store.h"

namespace esker::cdf {

using netcdf::StoredSchema;

struct FileParameters {
  std::optional<Version> version;        ///< without: the smallest that holds the schema
  Index spare_header_bytes = 128 << 10;  ///< behind the header, for attributes that are added later
  Index alignment_bytes = 4096;          ///< of the records, and of variables at least so large
};

/// The schema with the types that CDF-1 and CDF-2 have for coordinates and times: int32 where that holds the
/// values, else float64. kOutOfRange: neither does.
Result<Schema> in_classic_types(Schema schema);

/// kInvalidArgument: names that CDF files use otherwise, types or sizes that the version does not have,
/// coordinates of one dimension that differ between grids.
Result<StoredSchema> make_file(const Schema& schema, const FileParameters& parameters);

/// Where the values of a variable begin in the file at a step.
Index offset_of(const Header& header, int variable, Index step);
/// The byte after the last value of all variables and records.
Index end_of_data(const Header& header);
/// Size of the file when it holds that many records; of a header that make_file() made.
Index file_bytes(const Header& header, Index num_records);

/// See netcdf::ReadValues. kDataLoss: they are not all in the file.
Result<AttributeValue> read_values(const File& file, const Header& header, int variable, Index step);

}  // namespace esker::cdf
