#include "formats/registry/open_dataset.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/readable.h"
#include "formats/netcdf/cdf/cdf_dataset.h"
#include "formats/registry/suffix.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/hdf5_dataset.h"
#endif
#include "formats/idx/idx_dataset.h"
#include "formats/netcdf/model/joined_components.h"
#include "store/unsynced.h"

namespace esker {
namespace {

/// Whether the file exists and is empty, after read_begin() has read nothing from it.
Result<bool> is_empty_file(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return false;
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  return !is_directory;
}

template <class Format>
Result<std::unique_ptr<OpenedDataset>> open_as(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, Format::open(store, path));
  for (std::string& warning : dataset.warnings) warning = readable(std::move(warning));
  return std::unique_ptr<OpenedDataset>(std::make_unique<Format>(std::move(dataset)));
}

Result<std::unique_ptr<OpenedDataset>> open_any(const std::shared_ptr<Store>& store,
                                                const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string begin, read_begin(*store, path, 8));
  if (begin.starts_with("CDF")) {
    ESKER_ASSIGN_OR_RETURN(auto file, open_as<cdf::CdfDataset>(store, path));
    return join_components(std::move(file));
  }
  if (begin.starts_with("\x89HDF")) {
#ifdef ESKER_HAVE_HDF5
    ESKER_ASSIGN_OR_RETURN(auto file, open_as<hdf5::Hdf5Dataset>(store, path));
    return join_components(std::move(file));
#else
    return error(Code::kUnsupported,
                 "{} is an HDF5 file (NetCDF-4), and this Esker was built without the HDF5 library (Debian: "
                 "libhdf5-dev)",
                 path);
#endif
  }
  auto opened = open_as<idx::IdxDataset>(store, path);
  if (opened.status().code() != Code::kNotFound) return opened;
  ESKER_ASSIGN_OR_RETURN(const bool is_netcdf, store->exists(path + ".nc"));
  if (is_netcdf) return open_any(store, path + ".nc");
  if (begin.empty()) {
    ESKER_ASSIGN_OR_RETURN(const bool is_file, is_empty_file(*store, path));
    if (is_file) return error(Code::kDataLoss, "{}: the file is empty", path);
    return opened;
  }
  return error(Code::kDataLoss, "{} is no dataset: neither an .idx nor a CDF or HDF5 file", path);
}

}  // namespace

Result<std::unique_ptr<OpenedDataset>> open_dataset(const std::shared_ptr<Store>& store,
                                                    const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, open_any(store, path));
  if (!store->is_local()) return dataset;
  if (auto warning = unsynced_warning(*store, stem_of(path))) dataset->warnings.push_back(std::move(*warning));
  return dataset;
}

}  // namespace esker
