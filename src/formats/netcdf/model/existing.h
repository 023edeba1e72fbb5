// Reads the schema of a file of netCDF's data model.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/model/stored_schema.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {

struct Existing {
  Schema schema;
  StoredSchema file;  ///< the header's number of records is that of committed steps
  std::vector<double> times;
  std::vector<std::string> warnings = {};  ///< about attributes and times that differ from those in the file
};

/// The schema that the header's outline describes (outline.h). kDataLoss, too: the outline is missing.
Result<Schema> outline_of(const Header& header, const ReadValues& read_values);

/// Whether the file is marked as Esker's and its variables are as Esker made them: other programs copy
/// attributes to files with other variables. `warnings` gets the reason if only the mark is there.
bool is_of_esker(const Header& header, std::vector<std::string>& warnings);

/// The contents of an Esker file, from its outline. Attributes of the dataset, and of objects that have a
/// variable, are taken from the file and its variables; coordinates and times are taken from the variables'
/// values.
Result<Existing> read_ours(const Header& header, const ReadValues& read_values,
                           std::vector<std::string>& warnings);

}  // namespace esker::netcdf
