// Resampling from the points of one regular axis to those of another.
//
// Maps are resampled along x and then along y, so one axis is enough. Values between points are interpolated
// linearly. A target that is not coarser than the source takes the interpolated value at its point, and the
// source's bits if points coincide. A target that is coarser takes the mean of the interpolated line over its
// cell, half a spacing to each side, so volumes are conserved. Cells that would leave the source shrink by
// the same length on both sides, so linear functions are reproduced. Outside the source, the nearest value is
// used.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace pism {

enum class Sampling { kPoints, kCells };

/// One target point: the sum of weights[n] * source[first + n]. Weights are positive and add up to one.
struct Stencil {
  esker::Index first = 0;
  std::vector<double> weights;
};

/// Stencils of the points targets[first] ... targets[first + count - 1]. A stencil depends on the two axes
/// and its own point, not on `first` and `count`. Local, pure. Cost: O(log(source) + ratio of spacings) per
/// point. Throws std::invalid_argument for an axis that is not regular and ascending.
std::vector<Stencil> resampling_stencils(const std::vector<double>& source,
                                         const std::vector<double>& targets, esker::Index first,
                                         esker::Index count, Sampling sampling);

}  // namespace pism
