#include "format/foreign_names.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace esker {

std::string netcdf_name(const std::string& name, const Attributes& attributes) {
  const auto found = attributes.find(kNameInSourceAttribute);
  const std::string* const source = found != attributes.end() ? text_of(found->second) : nullptr;
  if (source == nullptr || schema_name(*source) != name || !is_utf8(*source)) return name;
  const auto begins_well = [](unsigned char c) { return c == '_' || std::isalnum(c) != 0 || c >= 0x80; };
  const auto is_allowed = [](unsigned char c) { return c >= ' ' && c != 0x7f && c != '/'; };
  const bool fits = begins_well(static_cast<unsigned char>(source->front())) && source->back() != ' ' &&
                    std::all_of(source->begin(), source->end(), is_allowed);
  return fits ? *source : name;
}

std::string schema_name(std::string name) {
  for (char& c : name) {
    if (!is_name_character(c)) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

std::string new_name(std::string name, const std::function<bool(const std::string&)>& is_taken,
                     std::map<std::string, int>& next_number) {
  constexpr std::size_t kMaxStem = 120;
  if (name.size() > kMaxStem) name.resize(kMaxStem);
  if (!is_taken(name)) return name;
  int& number = next_number.try_emplace(name, 2).first->second;
  std::string candidate;
  do candidate = name + "_" + std::to_string(number++);
  while (is_taken(candidate));
  return candidate;
}

}  // namespace esker
