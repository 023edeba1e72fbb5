#include "formats/netcdf/esker_file.h"

#include "base/macros.h"
#include "formats/netcdf/cdf/existing.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/existing.h"
#endif

namespace esker {

Result<bool> is_esker_file(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  const auto header = cdf::read_header(*file);
  if (header.status().code() == Code::kIoError) return header.status();
  if (header.ok()) return netcdf::outline_of(*header).ok();
#ifdef ESKER_HAVE_HDF5
  return hdf5::is_ours(store, path, *file);
#else
  return false;
#endif
}

}  // namespace esker
