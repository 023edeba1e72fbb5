// text  = *(line ("\n" | "\r\n"))
// line  = blank | "#" comment | key | value
// key   = "(" ...                        ; the whole line, exactly as written
//
// Source: docs/formats/idx.md, section 1.
#include "formats/idx/header_sections.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"

namespace esker::idx {

Result<Sections> split_sections(std::string_view text) {
  constexpr std::size_t kMaxKeys = 100000;
  Sections sections;
  std::map<std::string, std::size_t> places;  // no hashes: those can be made to collide
  std::string* value = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '(') {
      const auto [place, is_new] = places.try_emplace(std::string(line), sections.size());
      if (is_new) sections.emplace_back(line, "");
      if (sections.size() > kMaxKeys)
        return error(Code::kDataLoss, "expected at most {} keys, found more", kMaxKeys);
      value = &sections[place->second].second;
      value->clear();
    } else if (value != nullptr) {
      if (!value->empty()) *value += ' ';
      *value += line;
    }
  }
  return sections;
}

}  // namespace esker::idx
