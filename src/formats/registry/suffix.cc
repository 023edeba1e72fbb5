#include "formats/registry/suffix.h"

#include <algorithm>

namespace esker {

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string_view suffix_of(std::string_view path) {
  path = without_slashes(path);
  for (const FormatEntry& entry : formats()) {
    for (const std::string& suffix : entry.suffixes) {
      if (path.ends_with(suffix)) return suffix;
    }
  }
  return {};
}

const FormatEntry* format_of_suffix(std::string_view suffix) {
  for (const FormatEntry& entry : formats()) {
    const bool has_it =
        std::find(entry.suffixes.begin(), entry.suffixes.end(), suffix) != entry.suffixes.end();
    if (has_it) return &entry;
  }
  return nullptr;
}

std::vector<std::string> all_suffixes() {
  std::vector<std::string> all;
  for (const FormatEntry& entry : formats()) {
    for (const std::string& suffix : entry.suffixes) {
      if (std::find(all.begin(), all.end(), suffix) == all.end()) all.push_back(suffix);
    }
  }
  return all;
}

std::string stem_of(std::string_view path) {
  path = without_slashes(path);
  path.remove_suffix(suffix_of(path).size());
  return std::string(path);
}

}  // namespace esker
