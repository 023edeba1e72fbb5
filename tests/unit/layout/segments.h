// What every layout of one variable must say of the segments of a box.
#pragma once

#include <gtest/gtest.h>

#include <set>

#include "layout/layout.h"
#include "unit/grid/brute_force.h"

namespace esker::testing {

/// The segments of a random box, which may leave the grid, hold each of its samples in the grid once.
inline void expect_segments_of_a_box(const Layout& layout, Random& random) {
  const Box domain = layout.domain();
  Box box = domain;
  for (int a = 0; a < box.rank; ++a) {
    box.lo[a] = random.in(-1, domain.hi[a] - 1);
    box.hi[a] = random.in(box.lo[a], domain.hi[a] + 1);
  }
  std::set<Point> seen;
  layout.for_each_segment(0, box, [&](const Piece& piece, const PiecePart& part, const Box& indices) {
    ASSERT_FALSE(indices.empty());
    ASSERT_EQ(piece.position_bytes, layout.piece(piece.ordinal).position_bytes);
    for (const Point& index : points_of(indices)) {
      ASSERT_TRUE(seen.insert(part.lattice.point(index)).second);
    }
  });
  std::set<Point> wanted;
  for (const Point& point : points_of(intersect(box, domain))) wanted.insert(point);
  ASSERT_EQ(seen, wanted) << box.to_string();
}

}  // namespace esker::testing
