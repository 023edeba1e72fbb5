// What stands in a CDF file of Esker that a writer goes on with.
#pragma once

#include <string>
#include <vector>

#include "format/cdf/cdf_file.h"
#include "store/store.h"

namespace esker::cdf {

struct Existing {
  Schema schema;
  CdfFile file;                         ///< its header's number of records is that of the committed steps
  std::vector<std::byte> header_bytes;  ///< as they stand in the file
  std::vector<double> times;
};

/// The schema's outline in the header, without what dimensions, variables and attributes say. kDataLoss:
/// there is none, or it is damaged.
Result<Schema> outline_of(const Header& header);

/// Attributes of what has a variable or is the dataset, as the file has them; the others are in the outline.
Status take_attributes(const CdfFile& file, Schema& schema);

/// All that parse_existing() needs. kDataLoss: the file is damaged, shorter than its records, or no file of
/// Esker (kInvalidArgument: no CDF file).
Result<std::string> read_existing(const File& file);
/// Of what read_existing() gave, on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

}  // namespace esker::cdf
