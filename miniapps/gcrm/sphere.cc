#include "sphere.h"

#include <array>

namespace gcrm {
namespace {

/// A vertex of the upper (`z` > 0) or lower ring of the icosahedron, whose latitude is +-atan(1/2).
Vec3 ring_vertex(int p, double z_sign) {
  const double angle = (72.0 * p + (z_sign < 0 ? 36.0 : 0.0)) * (M_PI / 180.0);
  const double radius = 2.0 / std::sqrt(5.0);
  return {radius * std::cos(angle), radius * std::sin(angle), z_sign / std::sqrt(5.0)};
}

Vec3 upper(int p) { return ring_vertex(p % 5, 1); }
Vec3 lower(int p) { return ring_vertex(p % 5, -1); }

/// A panel's corners (0, 0), (N, 0), (N, N), (0, N).
std::array<Vec3, 4> corners(int panel) {
  const Vec3 north{0, 0, 1}, south{0, 0, -1};
  const int p = panel % 5;
  if (panel < 5) return {upper(p), lower(p), upper(p + 1), north};
  return {lower(p), south, lower(p + 1), upper(p + 1)};
}

/// A triangle of the lattice, and the place looked for, counted from its lowest corner `a`. Below the
/// diagonal its corners are a, a + (size, 0), a + (size, size); above it a, a + (size, size), a + (0, size).
struct Triangle {
  Vec3 a, b, c;
  bool above;
  Index size, i, j;
};

/// The quarter of a triangle below the diagonal that holds the place.
Triangle quarter_below(const Triangle& t) {
  const Vec3 ab = midpoint(t.a, t.b), bc = midpoint(t.b, t.c), ca = midpoint(t.c, t.a);
  const Index h = t.size / 2;
  if (t.i <= h) return {t.a, ab, ca, false, h, t.i, t.j};
  if (t.j >= h) return {ca, bc, t.c, false, h, t.i - h, t.j - h};
  if (t.j <= t.i - h) return {ab, t.b, bc, false, h, t.i - h, t.j};
  return {ab, bc, ca, true, h, t.i - h, t.j};
}

Triangle quarter_above(const Triangle& t) {
  const Vec3 ab = midpoint(t.a, t.b), bc = midpoint(t.b, t.c), ca = midpoint(t.c, t.a);
  const Index h = t.size / 2;
  if (t.j <= h) return {t.a, ab, ca, true, h, t.i, t.j};
  if (t.i >= h) return {ab, t.b, bc, true, h, t.i - h, t.j - h};
  if (t.i <= t.j - h) return {ca, bc, t.c, true, h, t.i, t.j - h};
  return {ca, ab, bc, false, h, t.i, t.j - h};
}

}  // namespace

Vec3 cell_centre(const Panels& panels, const Place& place) {
  const auto corner = corners(place.panel);
  const bool above = place.j > place.i;
  Triangle t{
      corner[0], above ? corner[2] : corner[1], above ? corner[3] : corner[2], above, panels.side(), place.i,
      place.j};
  while (t.size > 1) t = t.above ? quarter_above(t) : quarter_below(t);
  if (t.i == 0 && t.j == 0) return t.a;
  if (t.i == 1 && t.j == 1) return t.above ? t.b : t.c;
  return t.above ? t.c : t.b;
}

Vec3 circumcentre(const Vec3& a, const Vec3& b, const Vec3& c) { return unit(cross(b - a, c - a)); }

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 2.0 * std::atan2(dot(a, cross(b, c)), 1.0 + dot(a, b) + dot(b, c) + dot(c, a));
}

}  // namespace gcrm
