// The text of an .idx cut into keys and values, whatever they mean.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "esker/status.hpp"

namespace esker::idx {

/// Keys (with brackets), each with the lines that follow it, trimmed and joined by one space. In the order in
/// which the keys first occur. If a key occurs twice, its last value is used. Blank lines, lines that start with
/// '#', and lines before the first key are skipped.
using Sections = std::vector<std::pair<std::string, std::string>>;

/// kDataLoss: more than 100000 keys.
Result<Sections> split_sections(std::string_view text);

}  // namespace esker::idx
