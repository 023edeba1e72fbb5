// The arrays of a Zarr group that another program wrote, v3 or v2: finds and reads their metadata.
//
//   theirs.zarr/zarr.json                  a group of v3, with or without the metadata of all arrays
//   theirs.zarr/temp/zarr.json             an array of v3
//
//   theirs.zarr/.zgroup, .zattrs           a group of v2
//   theirs.zarr/.zmetadata                 the metadata of all its arrays
//   theirs.zarr/temp/.zarray, .zattrs      an array of v2
#pragma once

#include <string>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/zarr/foreign_array.h"
#include "store/store.h"

namespace esker::zarr {

inline constexpr const char* kGroupFileV2 = ".zgroup";
inline constexpr const char* kArrayFileV2 = ".zarray";

struct ForeignGroup {
  std::vector<netcdf::Attribute> attributes = {};
  std::vector<std::string> left_out = {};  ///< names of attributes that netCDF's model does not have
  std::vector<ForeignArray> arrays = {};   ///< by name
  std::vector<std::string> groups = {};    ///< names of those in the group, which are not read
  std::string directory = {};
  bool is_array = false;  ///< the directory is that of the only array, not of a group
  Index metadata_files = 0, metadata_bytes = 0;

  [[nodiscard]] std::string directory_of(const ForeignArray& array) const {
    return is_array ? directory : directory + "/" + array.name;
  }
};

/// Reads consolidated metadata, or lists the directory where there are none. kNotFound: not a Zarr group.
/// kDataLoss: the metadata of the group are damaged. kUnsupported: the store cannot list files.
Result<ForeignGroup> read_foreign_group(Store& store, const std::string& path);

/// JSON as Python writes it: numbers that JSON lacks become Zarr's words for them, "NaN" with quotes.
std::string with_quoted_reals(const std::string& text);

}  // namespace esker::zarr
