// What stands in a NetCDF-4 file of Esker that a writer goes on with.
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

/// Whether Esker wrote the file, as it is when the journal next to it, if there is one, has been carried out;
/// false also for one that is damaged. kIoError: it cannot be read.
Result<bool> is_ours(Store& store, const std::string& path, const File& file);

/// All that parse_existing() needs. kDataLoss: the file is damaged, or no file of Esker.
Result<std::string> read_existing(Overlay& overlay);
/// Of what read_existing() gave, on any rank. Pure.
Result<Existing> parse_existing(const std::string& text);

}  // namespace esker::hdf5
