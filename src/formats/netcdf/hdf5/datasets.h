// Lists the datasets of an HDF5 file, group by group, with their properties. For use within run_session();
// throws on failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// An axis of a dataset, which is identified by its reference.
struct AxisOf {
  hobj_ref_t dataset{};
  unsigned axis = 0;
};

struct DatasetInfo {
  std::string path;                     ///< from the root group on, without a leading '/'
  hobj_ref_t reference{};               ///< by which other objects refer to it
  std::vector<hsize_t> extents;         ///< slowest first
  std::vector<bool> is_unlimited;       ///< [axis]
  std::optional<int> dimension_number;  ///< netCDF's, if it is a dimension of a netCDF file
  bool is_scale = false;                ///< is a dimension
  bool is_variable = true;              ///< false: it is only a dimension
  std::vector<AxisOf> uses;             ///< of a dimension: the axes that it belongs to
  std::vector<int> dimension_numbers;   ///< [axis]: netCDF's numbers; empty: not stored
  bool is_virtual = false;              ///< its values are in the parts of an Esker dataset (parts.h)
  std::optional<Index> text_bytes;      ///< of its longest text, if it has texts of more than one character
  std::string why_not;                  ///< why its values cannot be read; empty if they can
  std::optional<netcdf::Type> type;     ///< if absent, why_not gives the reason
};

/// Why the values of virtual and external datasets are not read.
inline constexpr const char* kInOtherFiles = "its values are in other files";

/// Why the values of a contiguous dataset are not inside its file; empty if they are, or if no space is
/// allocated for them. The library does not validate their address.
std::string why_outside(hid_t dataset);

/// In creation order if the file stores it, else sorted by name; groups are listed in place. Soft and
/// external links are named in `left_out`.
std::vector<DatasetInfo> list_datasets(hid_t file, std::vector<std::string>& left_out);

}  // namespace esker::hdf5
