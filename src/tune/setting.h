// Setting: values of options that are tried instead of the configured ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Option -> value, for options that differ from the configured ones. Empty: the default, as configured.
using Setting = std::map<std::string, std::string>;

/// "aggregators=4, store_thread=true"; "the default".
std::string to_text(const Setting& setting);

/// The lines that set it in esker.toml: `aggregators = "4"`.
std::vector<std::string> toml_lines(const Setting& setting);

/// `configured` with the values of `setting`. kInvalidArgument: an option that may not change between steps,
/// or a value that it does not take.
Result<Options> with_setting(const Options& configured, const Setting& setting);

}  // namespace esker
