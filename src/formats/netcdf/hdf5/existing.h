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

/// A virtual file, and the text that describes its parts.
struct ExistingVirtual {
  Schema schema;
  Netcdf4File file;  ///< its storage has no chunks
  std::vector<double> times;
  std::string parts;
};

/// Whether the file is a virtual one: it has fields whose values are in its parts. kDataLoss: not an HDF5
/// file.
Result<bool> has_parts(Overlay& overlay);
/// The same as read_existing() and parse_existing(), for a virtual file.
Result<std::string> read_existing_virtual(Overlay& overlay);
Result<ExistingVirtual> parse_existing_virtual(const std::string& text);

}  // namespace esker::hdf5
