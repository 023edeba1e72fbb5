#include "grid/view.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/checked.h"
#include "grid/frustum.h"

namespace esker {
namespace {

ClipMap clip_map(const Camera& camera, const GridPlacement& placement) {
  ClipMap map;
  for (std::size_t c = 0; c < 4; ++c) {
    const double* row = &camera.model_view_projection[4 * c];
    map.offset[c] = row[3];
    for (std::size_t d = 0; d < 3; ++d) {
      map.offset[c] += row[d] * placement.origin[d];
      for (std::size_t a = 0; a < 3; ++a) map.axis[a][c] += row[d] * placement.step[a][d];
    }
  }
  return map;
}

/// For each axis, the maximum number of pixels for a step of one index. It is evaluated at the corners of the
/// visible part and midway between each two of them, because in perspective it grows towards the eye.
Vector3 largest_steps(const ClipMap& map, const std::vector<IndexPoint>& corners, int rank,
                      const Camera& camera) {
  Vector3 largest{};
  const auto look_at = [&](const IndexPoint& index) {
    for (int a = 0; a < rank; ++a) {
      double& most = largest[static_cast<std::size_t>(a)];
      most = std::max(most, pixels_per_index(map, index, a, static_cast<double>(camera.width_pixels),
                                             static_cast<double>(camera.height_pixels)));
    }
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      IndexPoint midway{};
      for (std::size_t a = 0; a < 3; ++a) midway[a] = (corners[i][a] + corners[j][a]) / 2;
      look_at(midway);
    }
  }
  return largest;
}

/// The maximum between neighbors of a level.
double pixels_at(const Bitmask& mask, int level, const Vector3& steps) {
  const Point stride = mask.samples_up_to(level).stride;
  double most = 0;
  for (int a = 0; a < mask.rank(); ++a) {
    most = std::max(most, static_cast<double>(stride[a]) * steps[static_cast<std::size_t>(a)]);
  }
  return most;
}

int choose_level(const Bitmask& mask, const Vector3& steps, const ViewOptions& options) {
  const auto coarsest = [&](double pixels) {
    int level = 0;
    while (level < mask.max_level() && pixels_at(mask, level, steps) > pixels) ++level;
    return level;
  };
  const int best = coarsest(options.pixels_per_sample);
  if (!options.previous_level) return best;
  // At a coarser level samples are too far apart; at a finer one there are more than needed.
  const int lowest = coarsest(options.pixels_per_sample * options.hysteresis);
  const int highest = coarsest(options.pixels_per_sample / options.hysteresis);
  const int previous = *options.previous_level;
  return previous >= lowest && previous <= highest ? previous : best;
}

}  // namespace

View choose_view(const Bitmask& mask, const Box& grid, const Camera& camera, const GridPlacement& placement,
                 const ViewOptions& options) {
  View view;
  const ClipMap map = clip_map(camera, placement);
  const std::vector<IndexPoint> corners = corners_in_view(grid, map);
  if (corners.empty()) return view;
  view.visible = true;
  const Vector3 steps = largest_steps(map, corners, grid.rank, camera);
  view.level = choose_level(mask, steps, options);
  view.pixels = pixels_at(mask, view.level, steps);
  const Point stride = mask.samples_up_to(view.level).stride;
  view.box = grid;
  for (int a = 0; a < grid.rank; ++a) {
    const auto of_axis = [a](const IndexPoint& i, const IndexPoint& j) {
      return i[static_cast<std::size_t>(a)] < j[static_cast<std::size_t>(a)];
    };
    const auto [least, most] = std::minmax_element(corners.begin(), corners.end(), of_axis);
    const auto first = static_cast<Index>(std::floor((*least)[static_cast<std::size_t>(a)]));
    const auto last = static_cast<Index>(std::ceil((*most)[static_cast<std::size_t>(a)]));
    view.box.lo[a] = std::clamp(floor_div(first, stride[a]) * stride[a], grid.lo[a], grid.hi[a] - 1);
    view.box.hi[a] = std::clamp(ceil_div(last, stride[a]) * stride[a] + 1, view.box.lo[a] + 1, grid.hi[a]);
  }
  return view;
}

}  // namespace esker
