// Positions of cells and their corners on the unit sphere, by recursive bisection for one cell at a time.
#pragma once

#include "panels.h"
#include "vec3.h"

namespace gcrm {

/// Centre of the cell at a place inside its panel or on its edge. O(level): goes down through the triangles
/// that hold it, halving edges. The cells of coarser levels keep their places, to the bit.
Vec3 cell_centre(const Panels& panels, const Place& place);

/// The point with equal distances to three points, which are counterclockwise seen from outside: the common
/// corner of their Voronoi cells.
Vec3 circumcentre(const Vec3& a, const Vec3& b, const Vec3& c);

/// Area of the spherical triangle, positive if counterclockwise seen from outside. Van Oosterom and
/// Strackee (1983, IEEE Trans. Biomed. Eng. 30, 125).
double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace gcrm
