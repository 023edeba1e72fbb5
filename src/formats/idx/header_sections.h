// Splits the text of an .idx into keys and values, without interpreting them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "esker/types/status.hpp"

namespace esker::idx {

/// Keys (with brackets), each with the lines that follow it, trimmed and joined by one space, in the order of
/// their first occurrence. If a key occurs twice, its last value is used. Blank lines, lines that start with
/// '#', and lines before the first key are skipped.
using Sections = std::vector<std::pair<std::string, std::string>>;

/// kDataLoss: more than 100000 keys.
Result<Sections> split_sections(std::string_view text);

}  // namespace esker::idx
