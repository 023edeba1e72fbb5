#include "base/readable.h"

#include <algorithm>

#include "base/text.h"

namespace esker {

std::string readable(std::string text) {
  if (is_utf8(text)) return text;
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace esker
