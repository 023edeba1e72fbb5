// Names that other programs chose, as names that a schema takes.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace esker {

/// '_' stands for each character that a schema's names do not have.
std::string schema_name(std::string name);

/// `name`, a schema_name(), or with a number behind it where it is taken: two foreign names became one.
/// `next_number` remembers the numbers that were tried, or many names that become one would cost the square
/// of their number.
std::string new_name(std::string name, const std::function<bool(const std::string&)>& is_taken,
                     std::map<std::string, int>& next_number);

}  // namespace esker
