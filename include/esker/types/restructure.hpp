// Restructure: whether samples are collected in regular boxes before they are sent to the aggregators.
//
//   options.restructure = esker::Restructure::parse("default").value();   // or "off", "expanded", "32,32,64"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "esker/types/box.hpp"
#include "esker/types/export.h"

namespace esker {

/// A virtual grid of boxes with power-of-two extents over a grid's samples. The rank that holds most of a box
/// receives the rest of it from its neighbours and sends it on in one piece.
struct ESKER_API Restructure {
  /// How the boxes' extent is chosen.
  enum class Boxes {
    kOff,       ///< no boxes
    kDefault,   ///< the typical extent of a rank's box, rounded up to a power of two on every axis
    kExpanded,  ///< twice the default on every axis
    kGiven,     ///< `extent`
  };
  Boxes boxes = Boxes::kOff;
  Point extent{};  ///< with kGiven: powers of two; 0 on an axis: not cut

  /// "off", "default", "expanded" or extents "X,Y,...", one power of two per axis (axes not named are not
  /// cut). Returns nullopt for any other text.
  static std::optional<Restructure> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;

  /// Extents of the boxes, given the typical extents of the ranks' boxes. Not with kOff.
  [[nodiscard]] Point box_extent(const Point& typical_extent) const;

  friend bool operator==(const Restructure&, const Restructure&) = default;
};

}  // namespace esker
