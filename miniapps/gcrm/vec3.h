// Vec3: points and vectors in space. The sphere has radius 1; x points to (0 E, 0 N), z to the north pole.
//
// Sums have a fixed order, so that equal arguments give equal bits (compiled without fused multiply-add).
#pragma once

#include <cmath>

namespace gcrm {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(const Vec3& a) { return (1.0 / norm(a)) * a; }
/// Half-way on the great circle; the same bits for (b, a).
inline Vec3 midpoint(const Vec3& a, const Vec3& b) { return unit(a + b); }
/// `v` without its part along the unit vector `up`.
inline Vec3 tangent(const Vec3& v, const Vec3& up) { return v - dot(v, up) * up; }

inline double longitude_degrees(const Vec3& p) { return std::atan2(p.y, p.x) * (180.0 / M_PI); }
inline double latitude_degrees(const Vec3& p) {
  return std::atan2(p.z, std::hypot(p.x, p.y)) * (180.0 / M_PI);
}

}  // namespace gcrm
