#include "boundary.h"

#include <algorithm>

namespace s3d {
namespace {

void fill_inflow(const Bricks& bricks, const ScalarFunction& inflow, double time, Array& scalars) {
  for_rows(scalars, [&](Index j, Index k) {
    for (Index i = -kGhosts; i < 0; ++i) {
      const Values values = inflow({bricks.center(0, i), bricks.center(1, bricks.own.lo[1] + j),
                                    bricks.center(2, bricks.own.lo[2] + k)},
                                   time);
      for (int s = 0; s < kNumScalars; ++s) scalars.row(s, j, k)[i] = values[s];
    }
  });
}

void reflect_x(Array& scalars) {
  const Index n = scalars.cells(0);
  for (int s = 0; s < kNumScalars; ++s) {
    for_rows(scalars, [&](Index j, Index k) {
      double* row = scalars.row(s, j, k);
      for (Index g = 0; g < kGhosts; ++g) row[n + g] = row[n - 1 - g];
    });
  }
}

/// `edge`: the first own row at this end, `inward`: +1 or -1.
void reflect_y(Array& scalars, Index edge, Index inward) {
  for (int s = 0; s < kNumScalars; ++s) {
    for (Index k = 0; k < scalars.cells(2); ++k) {
      for (Index g = 0; g < kGhosts; ++g) {
        std::copy_n(scalars.row(s, edge + g * inward, k), scalars.cells(0),
                    scalars.row(s, edge - (g + 1) * inward, k));
      }
    }
  }
}

}  // namespace

void fill_boundary(const Bricks& bricks, const ScalarFunction& inflow, double time, Array& scalars) {
  const auto is_boundary = [&](int axis, int side) { return bricks.neighbor[axis][side] == MPI_PROC_NULL; };
  if (is_boundary(0, 0)) fill_inflow(bricks, inflow, time, scalars);
  if (is_boundary(0, 1)) reflect_x(scalars);
  if (is_boundary(1, 0)) reflect_y(scalars, 0, +1);
  if (is_boundary(1, 1)) reflect_y(scalars, scalars.cells(1) - 1, -1);
}

}  // namespace s3d
