#include "formats/registry/suffix.h"

#include <algorithm>

namespace esker {
namespace {

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

const Suffix* suffix_of(std::string_view path) {
  path = without_slashes(path);
  const auto* found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                   [&](const Suffix& suffix) { return path.ends_with(suffix.text); });
  return found == kSuffixes.end() ? nullptr : found;
}

std::string stem_of(std::string_view path) {
  path = without_slashes(path);
  if (const Suffix* suffix = suffix_of(path)) path.remove_suffix(suffix->text.size());
  return std::string(path);
}

}  // namespace esker
