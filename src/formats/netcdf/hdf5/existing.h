// Reads the contents of an Esker NetCDF-4 file, so that a writer can append to it.
#pragma once

#include <string>
#include <vector>

#include "formats/netcdf/hdf5/netcdf4_file.h"
#include "formats/netcdf/hdf5/overlay.h"

namespace esker::hdf5 {

struct Existing {
  Schema schema;
  Netcdf4File file;
  std::vector<double> times;
};

/// Whether Esker wrote the file, with the journal next to it (if any) treated as applied. False also for a
/// damaged file. kIoError: the file cannot be read.
Result<bool> is_ours(Store& store, const std::string& path, const File& file);

/// Everything that parse_existing() needs. kDataLoss: the file is damaged, or is not an Esker file.
Result<std::string> read_existing(Overlay& overlay);
/// Parses the result of read_existing(), on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

}  // namespace esker::hdf5
