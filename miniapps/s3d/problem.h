// Problem: what the solver solves: a velocity, the scalars at the start and at the inflow, sources.
#pragma once

#include <functional>

#include "flow.h"
#include "mixture.h"

namespace s3d {

struct Place {
  double x = 0, y = 0, z = 0;  ///< m
};

/// The scalars at a place and time [s].
using ScalarFunction = std::function<Values(const Place&, double)>;

struct Problem {
  Flow flow;
  ScalarFunction initial;
  ScalarFunction inflow;       ///< at x <= 0
  ScalarFunction source = {};  ///< in addition to the reaction, per second; empty: none
};

}  // namespace s3d
