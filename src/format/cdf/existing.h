// What stands in a CDF file of Esker that a writer goes on with.
#pragma once

#include <string>
#include <vector>

#include "format/cdf/cdf_file.h"
#include "format/cdf/values.h"
#include "store/store.h"

namespace esker::cdf {

struct Existing {
  Schema schema;
  CdfFile file;                         ///< its header's number of records is that of the committed steps
  std::vector<std::byte> header_bytes;  ///< as they stand in the file
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

/// All that parse_existing() needs. kDataLoss: the file is damaged, shorter than its records, or no file of
/// Esker (kInvalidArgument: no CDF file).
Result<std::string> read_existing(const File& file);
/// Of what read_existing() gave, on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

}  // namespace esker::cdf
