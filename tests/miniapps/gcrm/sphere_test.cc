#include "sphere.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gcrm {
namespace {

bool same(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

TEST(CellCentre, PolesAndVerticesOfTheIcosahedron) {
  const Panels panels(4);
  EXPECT_TRUE(same(cell_centre(panels, panels.place(panels.north_pole())), {0, 0, 1}));
  EXPECT_TRUE(same(cell_centre(panels, panels.place(panels.south_pole())), {0, 0, -1}));
  const Vec3 first = cell_centre(panels, {0, 0, 0});
  EXPECT_NEAR(longitude_degrees(first), 0, 1e-13);
  EXPECT_NEAR(latitude_degrees(first), 26.56505117707799, 1e-12);
}

// Edges are halved from either side: the two panels that share one see the same points.
TEST(CellCentre, IsTheSameFromBothSidesOfAnEdge) {
  const Panels panels(4);
  const Index n = panels.side();
  for (int p = 0; p < kNumPanels; ++p) {
    for (Index k = 0; k <= n; ++k) {
      for (const Place& at : {Place{p, n, k}, Place{p, k, n}}) {
        const Place owner = panels.place(panels.cell(at));
        EXPECT_TRUE(same(cell_centre(panels, at), cell_centre(panels, owner))) << p << ' ' << k;
      }
    }
  }
}

TEST(CellCentre, CoarserLevelsKeepTheirPositions) {
  const Panels coarse(3), fine(5);
  for (Index cell = 0; cell < coarse.num_panel_cells(); ++cell) {
    const Place at = coarse.place(cell);
    EXPECT_TRUE(same(cell_centre(coarse, at), cell_centre(fine, {at.panel, 4 * at.i, 4 * at.j})));
  }
}

// Neighbours have nearly equal distances, and hexagons are counterclockwise seen from outside.
TEST(CellCentre, NeighboursSurroundACellCounterclockwise) {
  const Panels panels(5);
  double nearest = 10, farthest = 0;
  for (Index cell = 0; cell < panels.num_cells(); ++cell) {
    const Vec3 here = cell_centre(panels, panels.place(cell));
    const Ring ring = panels.ring(cell);
    for (int m = 0; m < ring.size; ++m) {
      const Vec3 a = cell_centre(panels, panels.place(ring.cells[m]));
      const Vec3 b = cell_centre(panels, panels.place(ring.cells[(m + 1) % ring.size]));
      EXPECT_GT(triangle_area(here, a, b), 0) << cell;
      nearest = std::min(nearest, norm(a - here));
      farthest = std::max(farthest, norm(a - here));
    }
  }
  EXPECT_LT(farthest / nearest, 1.2);
}

TEST(TriangleArea, OctantAndOrientation) {
  EXPECT_NEAR(triangle_area({1, 0, 0}, {0, 1, 0}, {0, 0, 1}), M_PI / 2, 1e-15);
  EXPECT_NEAR(triangle_area({0, 1, 0}, {1, 0, 0}, {0, 0, 1}), -M_PI / 2, 1e-15);
}

TEST(Circumcentre, HasEqualDistancesToAllThree) {
  const Vec3 a = unit({1, 0.1, 0}), b = unit({1, 0.3, 0.1}), c = unit({1, 0.1, 0.2});
  const Vec3 p = circumcentre(a, b, c);
  EXPECT_NEAR(dot(p, a), dot(p, b), 1e-15);
  EXPECT_NEAR(dot(p, a), dot(p, c), 1e-15);
  EXPECT_GT(dot(p, a), 0);
}

}  // namespace
}  // namespace gcrm
