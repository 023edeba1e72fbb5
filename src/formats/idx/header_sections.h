// The text of an .idx cut into keys and values, whatever they mean.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "esker/status.hpp"

namespace esker::idx {

/// Key, brackets included, and the lines that follow it, trimmed and joined by one space. In the order in
/// which the keys first occur; of a key that occurs twice the last value holds. Blank lines, lines that start
/// with
/// '#' and what stands before the first key are skipped.
using Sections = std::vector<std::pair<std::string, std::string>>;

/// kDataLoss: more than 100000 keys.
Result<Sections> split_sections(std::string_view text);

}  // namespace esker::idx
