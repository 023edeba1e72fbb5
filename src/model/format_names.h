// The names of formats as values of the option `format`.
//
// Defined in formats/registry/option_format.cc: only the registry knows the formats.
#pragma once

#include <string>
#include <string_view>

namespace esker {

/// Whether the option takes this value.
bool is_format_name(std::string_view name);

/// The values that the option takes, for messages and help.
std::string describe_format_names();

}  // namespace esker
