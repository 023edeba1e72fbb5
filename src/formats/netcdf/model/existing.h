// What a file of netCDF's data model holds, as a schema.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/model/stored_schema.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {

struct Existing {
  Schema schema;
  StoredSchema file;                         ///< its header's number of records is that of the committed steps
  std::vector<double> times;
  std::vector<std::string> warnings = {};  ///< of attributes and times that are not as the file has them
};

/// The schema's outline in the header, without what dimensions, variables and attributes say. kDataLoss:
/// there is none, or it is damaged.
Result<Schema> outline_of(const Header& header);

/// What a file of Esker holds, by its outline: attributes of what has a variable or is the dataset are those
/// that the variables have, and coordinates and times their values.
Result<Existing> read_ours(const Header& header, const ReadValues& read_values,
                           std::vector<std::string>& warnings);

}  // namespace esker::netcdf
