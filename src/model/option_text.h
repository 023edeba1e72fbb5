// Values of options as text. Parsers return nothing for text that the option does not accept.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "esker/types/options.hpp"

namespace esker {

/// An enumerator and its name.
template <class Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
};
template <class Enum>
NamedValue(Enum, const char*) -> NamedValue<Enum>;  // clang 14 deduces none for aggregates

template <class Enum, std::size_t n>
std::optional<Enum> value_named(const std::array<NamedValue<Enum>, n>& names, std::string_view text) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const NamedValue<Enum>& e) { return e.name == text; });
  return found == names.end() ? std::nullopt : std::optional(found->value);
}

/// `names` has all enumerators.
template <class Enum, std::size_t n>
std::string_view name_of(const std::array<NamedValue<Enum>, n>& names, Enum value) {
  return std::find_if(names.begin(), names.end(), [&](const NamedValue<Enum>& e) { return e.value == value; })
      ->name;
}

std::optional<bool> parse_bool(std::string_view text);
std::string print_bool(bool value);

std::optional<Index> parse_in(std::string_view text, Index least, Index most);

/// "4096", "64K"; "1.5M" is invalid. Suffixes K, M and G are powers of 1024.
std::optional<Index> parse_size(std::string_view text, Index least, Index most);
/// With the largest suffix that leaves an integer.
std::string print_size(Index bytes);

/// Zero or more; finite.
std::optional<double> parse_seconds(std::string_view text);

/// "auto", "decomposition" or "64,32,8".
std::optional<Chunks> parse_chunks(std::string_view text);
/// Options::levels.
std::optional<int> parse_levels(std::string_view text);
std::string print_chunks(const Chunks& chunks);

/// "4", "size:2048" or "nodes:16".
std::optional<Partitions> parse_partitions(std::string_view text);
std::string print_partitions(const Partitions& partitions);

/// Whether `text` is "name=value;name=value", without empty names or values. It may be empty.
bool is_hints(std::string_view text);

}  // namespace esker
