// Converts names from other programs to names that a schema allows.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace esker {

/// Replaces each character that is not allowed in a schema by '_'.
std::string schema_name(std::string name);

/// Returns `name`, which is a schema_name(), with a number appended if it is already used because two foreign
/// names were converted to the same one. `next_number` remembers the numbers that were tried; without it,
/// many such names would take quadratic time.
std::string new_name(std::string name, const std::function<bool(const std::string&)>& is_taken,
                     std::map<std::string, int>& next_number);

}  // namespace esker
