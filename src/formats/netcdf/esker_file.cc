#include "formats/netcdf/esker_file.h"

#include "base/macros.h"
#include "formats/netcdf/cdf/existing.h"
#include "formats/netcdf/model/outline.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/existing.h"
#endif

namespace esker {

namespace {

/// Whether nothing is known about the file: it could not be read, or there was no memory to parse it.
bool is_unknown(const Status& status) {
  return status.code() == Code::kIoError || status.code() == Code::kOutOfMemory;
}

}  // namespace

Result<bool> is_esker_file(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  const auto header = cdf::read_header(*file);
  if (is_unknown(header.status())) return header.status();
  if (header.ok()) {
    const Status outline = netcdf::outline_of(*header, netcdf::no_values(*header)).status();
    if (is_unknown(outline)) return outline;
    return outline.ok();
  }
#ifdef ESKER_HAVE_HDF5
  return hdf5::is_ours(store, path, *file);
#else
  return false;
#endif
}

}  // namespace esker
