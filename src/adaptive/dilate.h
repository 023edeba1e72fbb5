// Dilation of levels: each sample gets the finest level of those near it.
#pragma once

#include <cstddef>
#include <span>

#include "adaptive/level_rule.h"

namespace esker {

/// Replaces each level of `box` (dense, x fastest) by the maximum of those at most `distance` samples away on
/// each axis. `scratch` has dilate_scratch() elements. O(samples * rank), whatever the distance: a running
/// maximum over windows. Source: van Herk, "A fast algorithm for local minimum and maximum filters on
/// rectangular and octagonal kernels", Pattern Recognition Letters 13 (1992); Gil and Werman (1993).
void dilate(const Box& box, Index distance, std::span<KeptLevel> levels, std::span<KeptLevel> scratch);

/// The elements of `scratch` that dilate() needs: at most 6 times the extent of the longest axis.
Index dilate_scratch(const Box& box, Index distance);

}  // namespace esker
