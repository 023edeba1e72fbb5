// Places the variables of a schema in a CDF file, and computes their values. Fixed variables come first,
// large ones aligned; records begin aligned.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/cdf/header.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/stored_schema.h"
#include "store/store.h"

namespace esker::cdf {

using netcdf::StoredSchema;

/// Room and alignment of what is in a file.
struct FileRoom {
  Index spare_header_bytes = 128 << 10;   ///< after the header, for what is added later
  Index variable_alignment_bytes = 4096;  ///< of fixed variables of at least that size
  Index spare_variable_bytes = 0;         ///< after the fixed variables, likewise
  Index record_alignment_bytes = 4096;    ///< of the first record
};

struct FileParameters {
  std::optional<Version> version;  ///< absent: the smallest that holds the schema
  FileRoom room = {};
};

/// Sets the offsets of variables in a file with nothing else in it. Fixed variables come first.
void place_variables(Header& header, const FileRoom& room);
/// The same for the variables that are not placed yet, from byte `end` on. Returns the end of fixed ones.
using IsPlaced = std::function<bool(const Variable&)>;
Index place_variables(Header& header, const FileRoom& room, Index end, const IsPlaced& is_placed);

/// The schema with the types that CDF-1 and CDF-2 have for coordinates and times: int32 if it holds the
/// values, else float64. kOutOfRange: neither holds them.
Result<Schema> in_classic_types(Schema schema);

/// kInvalidArgument: names that CDF files reserve, types or sizes that the version does not have, or
/// coordinates of one dimension that differ between grids.
Result<StoredSchema> make_file(const Schema& schema, const FileParameters& parameters);

/// The file offset of the values of a variable at a step.
Index offset_of(const Header& header, int variable, Index step);
/// The byte after the last value of all variables and records.
Index end_of_data(const Header& header);
/// Size of the file when it holds that many records, the padding of the last one included.
Index file_bytes(const Header& header, Index num_records);

/// See netcdf::ReadValues. kDataLoss: the file does not contain all of them.
Result<AttributeValue> read_values(const File& file, const Header& header, int variable, Index step);

}  // namespace esker::cdf
