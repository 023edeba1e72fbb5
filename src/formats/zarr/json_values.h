// What JSON values mean in the metadata of Zarr: attributes, extents, fill values, names of extensions. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "format/json_text.h"
#include "formats/netcdf/model/header.h"

namespace esker::zarr {

/// The members of an object. `type`: of the array that has them, also that of its fill value; nothing: those
/// of a group. `left_out` gets the names of attributes that netCDF's model does not have.
std::vector<netcdf::Attribute> parse_attributes(const Json& json, std::optional<SampleType> type = {},
                                                std::vector<std::string>* left_out = nullptr);

/// The member `key`. kDataLoss: not `rank` integers of at least `least`.
Result<std::vector<Index>> parse_extents(const Json& json, const char* key, std::size_t rank, Index least);

/// The member `fill_value`, as one value in memory. kDataLoss: missing, or not a number of the type.
Result<std::vector<std::byte>> parse_fill(const Json& json, SampleType type);

/// The name and the configuration of an extension.
struct Named {
  std::string name;
  const Json* configuration = nullptr;  ///< null: none
};
/// A text, or an object. kDataLoss: neither.
Result<Named> parse_named(const Json& json);

}  // namespace esker::zarr
