#include "flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case.h"
#include "jet.h"
#include "manufactured.h"

namespace s3d {
namespace {

/// Net outflow of a cell per volume, 1/s.
double divergence(const Bricks& bricks, const FaceVelocity& faces, Index i, Index j, Index k) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double* below = faces[axis].row(0, j, k) + i;
    sum += (below[faces[axis].stride(axis)] - *below) / bricks.spacing[axis];
  }
  return sum;
}

double largest(const Array& faces) {
  double speed = 0;
  for (const double v : faces.values()) speed = std::max(speed, std::abs(v));
  return speed;
}

void expect_free_of_divergence(const Flow& flow) {
  const Bricks bricks = bricks_of(MPI_COMM_WORLD, {48, 36, 24});
  FaceVelocity faces(bricks);
  for (const double time : {0.0, 0.37e-3}) {
    faces.evaluate(flow, bricks, time);
    const esker::Point cells = bricks.own.extents();
    for (Index k = 0; k < cells[2]; ++k) {
      for (Index j = 0; j < cells[1]; ++j) {
        for (Index i = 0; i < cells[0]; ++i) ASSERT_NEAR(divergence(bricks, faces, i, j, k), 0, 1e-7);
      }
    }
    for (int axis = 0; axis < 3; ++axis) EXPECT_LE(largest(faces[axis]), flow.max_speed[axis]);
  }
}

TEST(Flow, JetIsFreeOfDivergenceAndWithinItsBounds) { expect_free_of_divergence(jet().flow); }
TEST(Flow, ManufacturedIsFreeOfDivergenceAndWithinItsBounds) {
  expect_free_of_divergence(manufactured().flow);
}

TEST(Flow, LeavesThroughTheOutflowAndNotThroughTheWalls) {
  const Bricks bricks = bricks_of(MPI_COMM_SELF, {48, 36, 24});
  FaceVelocity faces(bricks);
  for (int step = 0; step < 20; ++step) {
    faces.evaluate(jet().flow, bricks, 0.05e-3 * step);
    for (Index k = 0; k < 24; ++k) {
      for (Index j = 0; j < 36; ++j) {
        EXPECT_GT(faces[0].row(0, j, k)[0], 0);
        EXPECT_GT(faces[0].row(0, j, k)[48], 0);
      }
      for (Index i = 0; i < 48; ++i) {
        EXPECT_NEAR(faces[1].row(0, 0, k)[i], 0, 1e-12);
        EXPECT_NEAR(faces[1].row(0, 36, k)[i], 0, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace s3d
