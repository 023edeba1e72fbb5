// Boundary: the ghost cells beyond the boundary of the domain.
//
// At x = 0 they hold the inflow at their centers. At the other end of x and at both ends of y the scalars are
// reflected: their gradient across the boundary is zero. z is periodic, which the halo exchange does.
#pragma once

#include "array.h"
#include "bricks.h"
#include "problem.h"

namespace s3d {

/// Local: sets the ghosts of the scalars that lie outside of the domain.
void fill_boundary(const Bricks& bricks, const ScalarFunction& inflow, double time, Array& scalars);

}  // namespace s3d
