#include "format/foreign_names.h"

#include "base/text.h"

namespace esker {

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
