// What a CDF file holds, of Esker or of another program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/netcdf/cdf/cdf_file.h"
#include "formats/netcdf/model/existing.h"
#include "store/store.h"

namespace esker::cdf {

/// What a writer that appends to a CDF file of Esker begins with.
struct Existing : netcdf::Existing {
  std::vector<std::byte> header_bytes;  ///< as they are in the file
};

/// All that parse_existing() needs. kDataLoss: the file is damaged, shorter than its records, or no file of
/// Esker (kInvalidArgument: no CDF file).
Result<std::string> read_existing(const File& file);
/// Of what read_existing() gave, on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

/// Of a CDF file. Variables and records that are not whole in the file are left out, with a warning.
Result<netcdf::Existing> read_foreign(const File& file, const Header& header,
                                      std::vector<std::string>& warnings);

}  // namespace esker::cdf
