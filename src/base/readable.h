// readable: makes texts with bytes from files safe to show to users.
#pragma once

#include <string>

namespace esker {

/// `text` if it is UTF-8; otherwise '?' replaces each byte that is not ASCII. Names in damaged files contain
/// any bytes, and the consumers of warnings and findings require UTF-8.
std::string readable(std::string text);

}  // namespace esker
