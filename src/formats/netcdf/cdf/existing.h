// Reads the contents of a CDF file, written by Esker or by another program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/netcdf/cdf/cdf_file.h"
#include "formats/netcdf/model/existing.h"
#include "store/store.h"

namespace esker::cdf {

/// The state from which a writer appends to an Esker CDF file.
struct Existing : netcdf::Existing {
  std::vector<std::byte> header_bytes;  ///< as stored in the file
};

/// Everything that parse_existing() needs. kDataLoss: the file is damaged, shorter than its records, or not
/// an Esker file. kInvalidArgument: not a CDF file.
Result<std::string> read_existing(const File& file);
/// Parses the result of read_existing(), on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

/// Reads any CDF file. Variables and records that the file does not contain completely are left out, with a
/// warning.
Result<netcdf::Existing> read_foreign(const File& file, const Header& header,
                                      std::vector<std::string>& warnings);

}  // namespace esker::cdf
