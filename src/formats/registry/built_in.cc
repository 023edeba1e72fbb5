// The list of formats: a new format of the library gets an entry in built_in_formats().
#include "formats/registry/built_in.h"

#include <optional>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/idx_dataset.h"
#include "formats/idx/idx_writer.h"
#include "formats/netcdf/cdf/cdf_dataset.h"
#include "formats/netcdf/cdf/cdf_writer.h"
#include "formats/netcdf/model/joined_components.h"
#include "formats/vtkhdf/series.h"
#include "formats/zarr/foreign_group.h"
#include "formats/zarr/opening.h"
#include "formats/zarr/paths.h"
#include "formats/zarr/zarr_writer.h"
#ifdef ESKER_HAVE_HDF5
#include "formats/netcdf/hdf5/hdf5_writer.h"
#include "formats/netcdf/hdf5/netcdf4_writer.h"
#include "formats/netcdf/hdf5/parted_dataset.h"
#include "formats/vtkhdf/vtkhdf_dataset.h"
#include "formats/vtkhdf/vtkhdf_writer.h"
#endif

namespace esker {
namespace {

using WriterResult = Result<std::unique_ptr<FormatWriter>>;
using StagedWriterResult = Result<std::unique_ptr<StagedWriter>>;
using DatasetResult = Result<std::unique_ptr<OpenedDataset>>;

template <class Format>
DatasetResult open_as(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, Format::open(store, path));
  return std::unique_ptr<OpenedDataset>(std::make_unique<Format>(std::move(dataset)));
}

template <class Format>
DatasetResult open_netcdf(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto file, open_as<Format>(store, path));
  return join_components(std::move(file));
}

/// A writer of files that are the complete dataset.
template <StagedWriterResult (*make)(const WriterTarget&)>
WriterResult make_alone(const WriterTarget& target) {
  ESKER_ASSIGN_OR_RETURN(auto writer, make(target));
  return std::unique_ptr<FormatWriter>(std::move(writer));
}

WriterResult make_idx(const WriterTarget& target) {
  return std::unique_ptr<FormatWriter>(
      std::make_unique<idx::IdxWriter>(target.store, target.stem, target.options, target.lock, ""));
}

WriterResult make_second_idx(const WriterTarget& target) {
  return std::unique_ptr<FormatWriter>(std::make_unique<idx::IdxWriter>(
      target.store, target.stem, target.options, target.lock, target.suffix));
}

/// Absent: the smallest version that holds the schema.
std::optional<cdf::Version> cdf_version(const std::string& format) {
  if (format == "cdf1") return cdf::Version::kClassic;
  if (format == "cdf2") return cdf::Version::kOffset64;
  if (format == "cdf5") return cdf::Version::kData64;
  return std::nullopt;
}

template <bool is_one_of_two>
StagedWriterResult make_cdf(const WriterTarget& target) {
  const cdf::CdfWriter::Kind kind{cdf_version(target.format), is_one_of_two};
  return std::unique_ptr<StagedWriter>(
      std::make_unique<cdf::CdfWriter>(target.store, target.stem, kind, target.options, target.lock));
}

StagedWriterResult make_zarr(const WriterTarget& target) {
  return std::unique_ptr<StagedWriter>(
      std::make_unique<zarr::ZarrWriter>(target.store, target.stem, target.options, target.lock));
}

WriterResult make_second_zarr(const WriterTarget& target) {
  return std::unique_ptr<FormatWriter>(std::make_unique<zarr::ZarrWriter>(
      target.store, target.stem, target.options, target.lock, target.suffix));
}

#ifdef ESKER_HAVE_HDF5
StagedWriterResult make_hdf5(const WriterTarget& target) {
  return std::unique_ptr<StagedWriter>(std::make_unique<hdf5::Netcdf4Writer>(
      target.store, target.stem, target.suffix, target.options, target.lock));
}

/// The file next to an IDX dataset has no parts.
StagedWriterResult make_one_hdf5_of_two(const WriterTarget& target) {
  return std::unique_ptr<StagedWriter>(std::make_unique<hdf5::Hdf5Writer>(
      target.store, target.stem, target.suffix, target.options, target.lock));
}

template <bool is_one_of_two>
StagedWriterResult make_vtkhdf(const WriterTarget& target) {
  return std::unique_ptr<StagedWriter>(std::make_unique<vtkhdf::VtkhdfWriter>(
      target.store, target.stem, target.options, target.lock, is_one_of_two));
}

DatasetResult open_hdf5(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, hdf5::open_hdf5(store, path));
  return join_components(std::move(dataset));
}

constexpr auto kOpenHdf5 = &open_hdf5;
constexpr auto kOpenVtkhdf = &open_as<vtkhdf::VtkhdfDataset>;
#else
Status without_hdf5(const std::string& what) {
  return error(Code::kUnsupported,
               "{}, and this Esker was built without the HDF5 library (Debian: libhdf5-dev)", what);
}

StagedWriterResult make_hdf5(const WriterTarget& /*target*/) {
  return without_hdf5("format 'netcdf4' is an HDF5 file");
}

StagedWriterResult make_one_hdf5_of_two(const WriterTarget& target) { return make_hdf5(target); }

template <bool is_one_of_two>
StagedWriterResult make_vtkhdf(const WriterTarget& /*target*/) {
  return without_hdf5("format 'vtkhdf' consists of HDF5 files");
}

DatasetResult open_hdf5(const std::shared_ptr<Store>& /*store*/, const std::string& path) {
  return without_hdf5(path + " is an HDF5 file (NetCDF-4)");
}

DatasetResult open_vtkhdf(const std::shared_ptr<Store>& /*store*/, const std::string& path) {
  return without_hdf5(path + " is a series of HDF5 files (VTKHDF)");
}

constexpr auto kOpenHdf5 = &open_hdf5;
constexpr auto kOpenVtkhdf = &open_vtkhdf;
#endif

}  // namespace

// A suffix that several formats have selects the first of them.
std::deque<FormatEntry> built_in_formats() {
  return {{{"idx"},
           "idx",
           "IDX datasets",
           {".idx"},
           "",
           make_idx,
           open_as<idx::IdxDataset>,
           nullptr,
           true,
           {},
           {},
           make_second_idx},
          {{"cdf", "cdf1", "cdf2", "cdf5"},
           "cdf (the smallest CDF variant that holds the fields), cdf1, cdf2, cdf5",
           "netCDF files",
           {".nc"},
           "CDF",
           make_alone<make_cdf<false>>,
           open_netcdf<cdf::CdfDataset>,
           make_cdf<true>,
           false,
           {},
           {"idx", "zarr"}},
          {{"netcdf4", "hdf5"},
           "netcdf4 (also: hdf5)",
           "HDF5 files",
           {".nc", ".nc4", ".h5", ".hdf5"},
           "\x89HDF",
           make_alone<make_hdf5>,
           kOpenHdf5,
           make_one_hdf5_of_two,
           false,
           {},
           {"idx", "zarr"}},
          {{"vtkhdf"},
           "vtkhdf (meshes with all their levels)",
           "VTKHDF series",
           {vtkhdf::kSeriesSuffix},
           vtkhdf::kSeriesMagic,
           make_alone<make_vtkhdf<false>>,
           kOpenVtkhdf,
           make_vtkhdf<true>,
           true},
          {{"zarr"},
           "zarr (Zarr v3, in shards)",
           "Zarr groups",
           {zarr::kSuffix},
           "",
           make_alone<make_zarr>,
           zarr::open_zarr,
           make_zarr,
           false,
           {zarr::kMetadataFile, zarr::kGroupFileV2, zarr::kArrayFileV2},
           {"idx"},
           make_second_zarr}};
}

}  // namespace esker
