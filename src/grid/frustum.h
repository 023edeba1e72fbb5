// The part of a grid that a camera sees: a convex body in the grid's index space.
#pragma once

#include <array>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

using IndexPoint = std::array<double, 3>;

/// Maps indices to clip coordinates, an affine map: clip = offset + sum of index[a] * axis[a].
struct ClipMap {
  using Clip = std::array<double, 4>;  // x, y, z, w
  Clip offset{};
  std::array<Clip, 3> axis{};

  [[nodiscard]] Clip at(const IndexPoint& index) const;
};

/// The corners of the visible part of `box` (at most 3 axes; from first to last sample): the part with -w <=
/// x, y, z <= w. Corners can be repeated; empty if nothing is visible.
std::vector<IndexPoint> corners_in_view(const Box& box, const ClipMap& map);

/// How far the screen point moves, in pixels of a viewport of that size, when index `a` grows by one at the
/// visible position `index`.
double pixels_per_index(const ClipMap& map, const IndexPoint& index, int axis, double width, double height);

}  // namespace esker
