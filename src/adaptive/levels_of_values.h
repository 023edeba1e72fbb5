// Levels of samples by their values.
#pragma once

#include <span>

#include "adaptive/level_rule.h"

namespace esker {

/// Raises the levels of `box` (dense, x fastest) to those of the rule, without dilation, where its patches
/// have samples. Values of 64-bit integers are compared as float64.
void raise_by_values(const RangeRule& rule, const Box& box, std::span<KeptLevel> levels);

/// The same for levels of samples.
void raise_by_levels(const SampleLevelsRule& rule, const Box& box, std::span<KeptLevel> levels);

}  // namespace esker
