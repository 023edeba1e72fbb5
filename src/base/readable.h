// readable: texts with bytes from files, as users may be shown them.
#pragma once

#include <string>

namespace esker {

/// `text` if it is UTF-8, else with '?' for each byte that is not ASCII: names in damaged files hold any bytes, and
/// what shows warnings and findings takes UTF-8 only.
std::string readable(std::string text);

}  // namespace esker
