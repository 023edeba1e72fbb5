#include "read/open_dataset.h"

#include <array>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "read/cdf_dataset.h"
#ifdef ESKER_HAVE_HDF5
#include "read/hdf5_dataset.h"
#endif
#include "read/idx_dataset.h"

namespace esker {
namespace {

/// The first bytes of a file; empty where there is none.
Result<std::string> first_bytes(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return std::string();
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (is_directory) return std::string();
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file->size_bytes());
  std::string text(static_cast<std::size_t>(std::min<Index>(file_bytes, 8)), '\0');
  ESKER_RETURN_IF_ERROR(file->read_at(std::as_writable_bytes(std::span(text)), 0));
  return text;
}

template <class Format>
Result<std::unique_ptr<OpenedDataset>> open_as(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, Format::open(store, path));
  return std::unique_ptr<OpenedDataset>(std::make_unique<Format>(std::move(dataset)));
}

}  // namespace

Result<std::unique_ptr<OpenedDataset>> open_dataset(const std::shared_ptr<Store>& store,
                                                    const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string begin, first_bytes(*store, path));
  if (begin.starts_with("CDF")) return open_as<cdf::CdfDataset>(store, path);
  if (begin.starts_with("\x89HDF")) {
#ifdef ESKER_HAVE_HDF5
    return open_as<hdf5::Hdf5Dataset>(store, path);
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
  if (is_netcdf) return open_dataset(store, path + ".nc");
  if (begin.empty()) return opened;
  return error(Code::kDataLoss, "{} is no dataset: neither an .idx nor a CDF or HDF5 file", path);
}

}  // namespace esker
