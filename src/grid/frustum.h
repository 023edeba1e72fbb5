// The part of a grid that a camera sees: a convex body in the space of the grid's indices.
#pragma once

#include <array>
#include <vector>

#include "esker/box.hpp"

namespace esker {

using IndexPoint = std::array<double, 3>;

/// From indices to clip coordinates, which are affine in them: clip = offset + sum of index[a] * axis[a].
struct ClipMap {
  using Clip = std::array<double, 4>;  // x, y, z, w
  Clip offset{};
  std::array<Clip, 3> axis{};

  [[nodiscard]] Clip at(const IndexPoint& index) const;
};

/// The corners of the body of the indices in `box` (of at most 3 axes; sample to sample) that are seen: with
/// -w <= x, y, z <= w. Each once or several times; none: nothing is seen.
std::vector<IndexPoint> corners_in_view(const Box& box, const ClipMap& map);

/// How far the screen point moves, in pixels of a viewport of that size, when index `a` grows by one at
/// `index`, which is in view.
double pixels_per_index(const ClipMap& map, const IndexPoint& index, int axis, double width, double height);

}  // namespace esker
