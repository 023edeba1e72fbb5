#include "bell.h"

#include <algorithm>

namespace gcrm {
namespace {

constexpr double kDaysAround = 12;     // Williamson et al. (1992), eq. 77
constexpr double kRadius = 1.0 / 3.0;  // of the bell, in radii of the earth; eq. 79
const Vec3 kStart{0, -1, 0};           // 270 degrees east on the equator; eq. 80

/// `v` turned around the unit vector `axis` (Rodrigues).
Vec3 turned(const Vec3& v, const Vec3& axis, double angle) {
  return std::cos(angle) * v + std::sin(angle) * cross(axis, v) +
         ((1.0 - std::cos(angle)) * dot(axis, v)) * axis;
}

}  // namespace

Vec3 Bell::axis() const {  // of the wind u = cos(lat) cos(a) + cos(lon) sin(lat) sin(a), v = -sin(lon) sin(a)
  const double a = alpha_degrees * (M_PI / 180.0);
  return {-std::sin(a), 0, std::cos(a)};
}

double Bell::speed(int layer) const {
  const double full = 2.0 * M_PI / kDaysAround;
  return layers == 1 ? full : full * (0.5 + 0.5 * layer / (layers - 1));
}

std::vector<double> Bell::speeds() const {
  std::vector<double> all(layers);
  for (int k = 0; k < layers; ++k) all[k] = speed(k);
  return all;
}

Vec3 Bell::centre(int layer, double days) const { return turned(kStart, axis(), speed(layer) * days); }

double Bell::value(const Vec3& bell_centre, const Vec3& point) {
  const double distance = std::atan2(norm(cross(bell_centre, point)), dot(bell_centre, point));
  return distance < kRadius ? 0.5 * (1.0 + std::cos(M_PI * distance / kRadius)) : 0.0;
}

}  // namespace gcrm
