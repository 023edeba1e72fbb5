// Resampling: what the points of one regular axis have to do with those of another.
//
// Maps are resampled along x and y in turn, so one axis says all. Values between points lie on straight
// lines. Sampled at points, each target takes the line's value there: where points coincide, the source's
// own bits. Sampled by cells, targets that are coarser than their source take the line's mean over the
// cell that reaches half a spacing to both sides: nothing between the points is lost, and volumes stay.
// Cells that would reach over the source's edge shrink on both sides alike. So a linear function stays
// what it is in either case; beyond the edge the nearest value holds.
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
