// The datasets of an HDF5 file, group by group, and what is known of each. Within run_session(); failures are
// thrown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/header.h"

namespace esker::hdf5 {

/// An axis of a dataset, by the reference to it.
struct AxisOf {
  hobj_ref_t dataset{};
  unsigned axis = 0;
};

struct DatasetInfo {
  std::string path;                     ///< from the root group on, without '/' in front
  hobj_ref_t reference{};               ///< by which others name it
  std::vector<hsize_t> extents;         ///< the slowest first
  std::vector<bool> is_unlimited;       ///< [axis]
  std::optional<int> dimension_number;  ///< netCDF's, if it is a dimension of a file of netCDF
  bool is_scale = false;                ///< a dimension
  bool is_variable = true;              ///< false: nothing but a dimension
  std::vector<AxisOf> uses;             ///< of a dimension: the axes that it is for
  std::vector<int> dimension_numbers;   ///< [axis]: netCDF's numbers; empty: it does not say
  std::string why_not;                  ///< its values cannot be read; empty: they can
  std::optional<netcdf::Type> type;        ///< without: why_not says why
};

/// In the order of their making where the file knows it, else of their names; groups where they stand. What
/// leads elsewhere (soft and external links) is named in `left_out`.
std::vector<DatasetInfo> list_datasets(hid_t file, std::vector<std::string>& left_out);

}  // namespace esker::hdf5
