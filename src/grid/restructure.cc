#include "esker/types/restructure.hpp"

#include <bit>

#include "base/text.h"

namespace esker {
namespace {

constexpr Index kWholeAxis = Index{1} << 62;

Index round_up_to_power(Index value) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

}  // namespace

std::optional<Restructure> Restructure::parse(std::string_view text) {
  if (text == "off") return Restructure{};
  if (text == "default") return Restructure{Boxes::kDefault, {}};
  if (text == "expanded") return Restructure{Boxes::kExpanded, {}};
  Restructure given{Boxes::kGiven, {}};
  int axis = 0;
  for (bool more = true; more; ++axis) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const auto extent = parse_integer(trim(text.substr(0, comma)));
    const bool is_power = extent && *extent > 0 && std::has_single_bit(static_cast<std::uint64_t>(*extent));
    if (axis == kMaxRank || !is_power) return std::nullopt;
    given.extent[axis] = *extent;
    if (more) text.remove_prefix(comma + 1);
  }
  return given;
}

std::string Restructure::to_string() const {
  if (boxes == Boxes::kOff) return "off";
  if (boxes == Boxes::kDefault) return "default";
  if (boxes == Boxes::kExpanded) return "expanded";
  std::string text;
  for (int a = 0; a < kMaxRank && extent[a] > 0; ++a) {
    text += (a > 0 ? "," : "") + std::to_string(extent[a]);
  }
  return text;
}

Point Restructure::box_extent(const Point& typical_extent) const {
  Point result{};
  for (int a = 0; a < kMaxRank; ++a) {
    if (boxes == Boxes::kGiven) {
      result[a] = extent[a] > 0 ? extent[a] : kWholeAxis;
    } else {
      result[a] = round_up_to_power(typical_extent[a]) * (boxes == Boxes::kExpanded ? 2 : 1);
    }
  }
  return result;
}

}  // namespace esker
