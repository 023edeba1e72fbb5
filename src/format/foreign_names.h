// Converts names from other programs to names that a schema allows, and keeps the original ones.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "esker/types/schema.hpp"

namespace esker {

/// Attribute of a field or scalar whose name in its source is not allowed in a schema: that name. Readers
/// show it, and formats that allow it write it.
inline constexpr const char* kNameInSourceAttribute = "name_in_source";

/// The name in a netCDF file of what has this name and attributes: that of its source, if netCDF allows it
/// and readers find the name in the schema from it.
std::string netcdf_name(const std::string& name, const Attributes& attributes);

/// Replaces each character that is not allowed in a schema by '_'.
std::string schema_name(std::string name);

/// Returns `name`, which is a schema_name(), with a number appended if it is already used because two foreign
/// names were converted to the same one. `next_number` remembers the numbers that were tried; without it,
/// many such names would take quadratic time.
std::string new_name(std::string name, const std::function<bool(const std::string&)>& is_taken,
                     std::map<std::string, int>& next_number);

}  // namespace esker
