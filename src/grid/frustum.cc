#include "grid/frustum.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace esker {
namespace {

/// normal . index <= limit
struct HalfSpace {
  IndexPoint normal{};
  double limit = 0;
};

/// How far a point may violate a boundary by rounding, relative to the magnitude of the summands.
constexpr double kRounding = 1e-9;

bool holds(const HalfSpace& half, const IndexPoint& index) {
  double sum = -half.limit, size = std::abs(half.limit);
  for (std::size_t a = 0; a < 3; ++a) {
    sum += half.normal[a] * index[a];
    size += std::abs(half.normal[a] * index[a]);
  }
  return sum <= kRounding * size;
}

std::vector<HalfSpace> half_spaces(const Box& box, const ClipMap& map) {
  std::vector<HalfSpace> all;
  for (std::size_t a = 0; a < static_cast<std::size_t>(box.rank); ++a) {
    HalfSpace upper, lower;
    upper.normal[a] = 1;
    upper.limit = static_cast<double>(box.hi[a] - 1);
    lower.normal[a] = -1;
    lower.limit = -static_cast<double>(box.lo[a]);
    all.push_back(upper);
    all.push_back(lower);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    for (const double sign : {1.0, -1.0}) {  // sign * clip[c] <= w
      HalfSpace half;
      for (std::size_t a = 0; a < 3; ++a) half.normal[a] = sign * map.axis[a][c] - map.axis[a][3];
      half.limit = map.offset[3] - sign * map.offset[c];
      all.push_back(half);
    }
  }
  return all;
}

double determinant(const std::array<IndexPoint, 3>& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double length(const IndexPoint& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The intersection point of three boundaries (Cramer's rule).
std::optional<IndexPoint> meet(const HalfSpace& a, const HalfSpace& b, const HalfSpace& c) {
  const std::array<IndexPoint, 3> rows{a.normal, b.normal, c.normal};
  const double all = determinant(rows);
  if (std::abs(all) <= 1e-12 * length(a.normal) * length(b.normal) * length(c.normal)) return std::nullopt;
  IndexPoint point;
  for (std::size_t column = 0; column < 3; ++column) {
    auto with_limits = rows;
    with_limits[0][column] = a.limit;
    with_limits[1][column] = b.limit;
    with_limits[2][column] = c.limit;
    point[column] = determinant(with_limits) / all;
  }
  return point;
}

}  // namespace

ClipMap::Clip ClipMap::at(const IndexPoint& index) const {
  Clip clip = offset;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t c = 0; c < 4; ++c) clip[c] += index[a] * axis[a][c];
  }
  return clip;
}

// There are at most twelve half-spaces: takes all points where three boundaries intersect and that are inside
// the others. Axes that the box does not have are fixed at 0.
std::vector<IndexPoint> corners_in_view(const Box& box, const ClipMap& map) {
  Box volume = box;
  for (volume.rank = 3; Index & hi : volume.hi) hi = std::max<Index>(hi, 1);
  for (int a = box.rank; a < 3; ++a) volume.lo[a] = 0, volume.hi[a] = 1;
  const std::vector<HalfSpace> all = half_spaces(volume, map);
  std::vector<IndexPoint> corners;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        const auto point = meet(all[i], all[j], all[k]);
        if (!point) continue;
        const auto sees = [&](const HalfSpace& half) { return holds(half, *point); };
        if (std::all_of(all.begin(), all.end(), sees)) corners.push_back(*point);
      }
    }
  }
  return corners;
}

double pixels_per_index(const ClipMap& map, const IndexPoint& index, int axis, double width, double height) {
  const ClipMap::Clip at = map.at(index);
  const ClipMap::Clip& step = map.axis[static_cast<std::size_t>(axis)];
  const double w = std::max(at[3], 0.0);
  const auto moved = [&](std::size_t c, double pixels) {  // the derivative of clip[c] / w * pixels / 2
    return (step[c] * w - at[c] * step[3]) / (w * w) * pixels / 2;
  };
  return std::hypot(moved(0, width), moved(1, height));
}

}  // namespace esker
