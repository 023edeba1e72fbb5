#include "formats/idx/stored_paths.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker::idx {
namespace {

constexpr std::size_t kMaxNames = 10'000'000;
constexpr std::string_view kWildcards{"\1\2\3"};
static_assert(kWildcards[0] == kAnyHexDigit && kWildcards[1] == kAnyTime && kWildcards[2] == kAnyName);

bool fits(char wildcard, char c) {
  const bool digit = c >= '0' && c <= '9';
  if (wildcard == kAnyHexDigit) return digit || (c >= 'a' && c <= 'f');
  return wildcard == kAnyTime ? digit || c == '-' || c == ' ' : is_name_character(c);
}

/// Matches one part of a path, with the shortest time or name first, and records the texts that wildcards
/// match.
bool match_part(std::string_view pattern, std::string_view part, PathMatch& match) {
  std::size_t same = 0;
  while (same < pattern.size() && kWildcards.find(pattern[same]) == std::string_view::npos) ++same;
  if (pattern.substr(0, same) != part.substr(0, same)) return false;
  pattern.remove_prefix(same), part.remove_prefix(same);
  if (pattern.empty()) return part.empty();
  const char wildcard = pattern[0];
  const std::size_t most = wildcard == kAnyHexDigit ? 1 : part.size();
  for (std::size_t n = 1; n <= most && n <= part.size() && fits(wildcard, part[n - 1]); ++n) {
    PathMatch longer = match;
    const std::string_view value = part.substr(0, n);
    if (wildcard == kAnyHexDigit) longer.hex_digits += value;
    if (wildcard == kAnyName) longer.name = value;
    if (wildcard == kAnyTime) longer.time = parse_integer(trim(value));
    if (wildcard == kAnyTime && !longer.time) continue;
    if (!match_part(pattern.substr(1), part.substr(n), longer)) continue;
    match = std::move(longer);
    return true;
  }
  return false;
}

/// Descends through the parts of one pattern.
class Walk {
 public:
  Walk(const Store& store, const std::function<Status(const PathMatch&)>& visit)
      : store_(store), visit_(visit) {}

  Status descend(std::string_view pattern, const PathMatch& above) {
    const std::size_t slash = pattern.find('/');
    const bool is_last = slash == std::string_view::npos;
    const std::string_view part = pattern.substr(0, slash), rest = is_last ? "" : pattern.substr(slash + 1);
    const auto enter = [&](PathMatch match) {
      return is_last ? visit_(match) : (match.path += '/', descend(rest, match));
    };
    if (part.find_first_of(kWildcards) == std::string_view::npos) {
      PathMatch match = above;
      match.path += part;
      return enter(std::move(match));
    }
    ESKER_ASSIGN_OR_RETURN(const auto names, store_.list(above.path.empty() ? "." : above.path));
    num_names_ += names.size();
    if (num_names_ > kMaxNames) {
      return error(Code::kUnsupported, "expected at most {} names in {} and other directories, found more",
                   kMaxNames, excerpt(above.path));
    }
    for (const std::string& name : names) {
      PathMatch match = above;
      if (!match_part(part, name, match)) continue;
      match.path += name;
      ESKER_RETURN_IF_ERROR(enter(std::move(match)));
    }
    return {};
  }

 private:
  const Store& store_;
  const std::function<Status(const PathMatch&)>& visit_;
  std::size_t num_names_ = 0;
};

}  // namespace

Index PathMatch::block() const {
  if (hex_digits.empty()) return 0;
  const std::size_t first = std::min(hex_digits.find_first_not_of('0'), hex_digits.size() - 1);
  Index number = -1;
  const auto parsed =
      std::from_chars(hex_digits.data() + first, hex_digits.data() + hex_digits.size(), number, 16);
  return parsed.ec == std::errc() ? number : -1;
}

Status for_each_path(const Store& store, const std::string& directory,
                     const std::vector<std::string>& patterns,
                     const std::function<Status(const PathMatch&)>& visit) {
  Walk walk(store, visit);
  for (const std::string& pattern : patterns) {
    PathMatch root;
    root.path = directory;
    ESKER_RETURN_IF_ERROR(walk.descend(pattern, root));
  }
  return {};
}

}  // namespace esker::idx
