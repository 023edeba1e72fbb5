#include "model/option_text.h"

#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "base/checked.h"
#include "base/text.h"
#include "model/coarse_fields.h"

namespace esker {
namespace {

constexpr std::string_view kSuffixes = "KMG";

constexpr std::array kUnits{NamedValue{Partitions::Unit::kRanks, "size:"},
                            NamedValue{Partitions::Unit::kNodes, "nodes:"}};

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::string print_bool(bool value) { return value ? "true" : "false"; }

std::optional<Index> parse_in(std::string_view text, Index least, Index most) {
  const auto value = parse_integer(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::optional<Index> parse_size(std::string_view text, Index least, Index most) {
  Index unit = 1;
  const std::size_t suffix =
      text.empty() ? std::string_view::npos
                   : kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (suffix != std::string_view::npos) {
    unit = Index{1} << 10 * (suffix + 1);
    text.remove_suffix(1);
  }
  const auto count = parse_integer(trim(text));
  const auto bytes = count ? checked_mul(*count, unit) : std::nullopt;
  return bytes && *bytes >= least && *bytes <= most ? bytes : std::nullopt;
}

std::string print_size(Index bytes) {
  std::size_t suffix = 0;
  while (bytes != 0 && bytes % 1024 == 0 && suffix < kSuffixes.size()) bytes /= 1024, ++suffix;
  return std::to_string(bytes) + (suffix == 0 ? std::string() : std::string(1, kSuffixes[suffix - 1]));
}

std::optional<double> parse_seconds(std::string_view text) {
  const auto value = parse_real(text);
  return value && *value >= 0 && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Chunks> parse_chunks(std::string_view text) {
  Chunks chunks;
  if (text == "auto") return chunks;
  chunks.by_decomposition = text == "decomposition";
  if (chunks.by_decomposition) return chunks;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto extent = parse_integer(trim(text.substr(0, comma)));
    if (!extent || *extent < 1 || chunks.extents.size() == kMaxRank) return std::nullopt;
    chunks.extents.push_back(*extent);
    if (comma == text.size()) return chunks;
    text.remove_prefix(comma + 1);
  }
}

std::optional<int> parse_levels(std::string_view text) {
  if (text == "auto") return Options::kAutoLevels;
  const auto levels = parse_in(text, 0, kMostCoarseLevels);
  return levels ? std::optional(static_cast<int>(*levels)) : std::nullopt;
}

std::string print_chunks(const Chunks& chunks) {
  if (chunks.by_decomposition) return "decomposition";
  return chunks.extents.empty() ? "auto" : fmt::format("{}", fmt::join(chunks.extents, ","));
}

std::optional<Partitions> parse_partitions(std::string_view text) {
  constexpr Index kMost = std::numeric_limits<int>::max();
  Partitions parsed;
  Index least = 0;
  for (const NamedValue<Partitions::Unit>& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    parsed.unit = unit.value;
    least = 1;
  }
  const auto number = parse_in(text, least, kMost);
  if (!number) return std::nullopt;
  parsed.number = *number;
  return parsed;
}

std::string print_partitions(const Partitions& partitions) {
  const bool is_count = partitions.unit == Partitions::Unit::kPartitions;
  const std::string_view unit = is_count ? std::string_view() : name_of(kUnits, partitions.unit);
  return std::string(unit) + std::to_string(partitions.number);
}

bool is_hints(std::string_view text) {
  while (!text.empty()) {
    const std::string_view hint = text.substr(0, text.find(';'));
    const std::size_t equal = hint.find('=');
    if (equal == 0 || equal == std::string_view::npos || equal + 1 == hint.size()) return false;
    text.remove_prefix(std::min(text.size(), hint.size() + 1));
  }
  return true;
}

}  // namespace esker
