// LevelRule: a rule of a step (esker/types/keep.hpp) in the form that is evaluated: with the levels of a
// grid, and the patches of this rank that it looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/patch.hpp"

namespace esker {

/// A level of a grid, 0 ... max_level, or kNotKept.
using KeptLevel = std::int8_t;
inline constexpr KeptLevel kNotKept = -1;

/// A level in a box of the grid.
struct LevelBox {
  Box box;
  KeptLevel level = 0;
};

/// Samples whose value is in a range; any component.
struct RangeRule {
  double low = 0, high = 0;
  KeptLevel level = 0;
  KeptLevel nan_level = kNotKept;
  std::vector<Patch> patches;  ///< disjoint
  int components = 1;
  Index dilate = 0;
};

/// Levels of samples, given one by one: int8, counted from `finest` down; kDropped means kNotKept.
struct SampleLevelsRule {
  std::vector<Patch> patches;
  KeptLevel finest = 0;
  Index dilate = 0;
};

struct LevelRules {
  KeptLevel everywhere = kNotKept;
  std::vector<LevelBox> boxes;
  std::vector<RangeRule> ranges;
  std::vector<SampleLevelsRule> levels;
};

}  // namespace esker
