// LevelMap: the finest level that the rules of a step keep at each sample.
//
// It is computed box by box, in a bounded buffer. Boxes are tiles of the finest levels of the Z order, so
// that most are all inside or all outside of a region.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "adaptive/level_rule.h"
#include "grid/bitmask.h"

namespace esker {

/// Levels of a box that another rank's rules keep.
struct LevelPatch {
  Box box;
  std::vector<KeptLevel> levels;  ///< dense, x fastest; one element: the same level everywhere
};

/// Samples of a tile, unless the grid has fewer.
inline constexpr int kTileDigits = 15;

/// Calls visit(tile) for the parts of `box` in the tiles of 2^kTileDigits samples of the finest levels.
void for_each_tile(const Bitmask& mask, const Box& box, const std::function<void(const Box&)>& visit);

class LevelMap {
 public:
  /// All references must outlive this object. `grid`: the box of the grid.
  LevelMap(const Box& grid, const LevelRules& rules, const std::vector<LevelPatch>& of_others)
      : grid_(grid), rules_(rules), of_others_(of_others) {}

  /// The levels of all samples of a box of the grid, dense, x fastest; valid until the next call.
  std::span<const KeptLevel> levels(const Box& box);
  /// The same, by rules that look at the samples of this rank: ranges and levels of samples.
  std::span<const KeptLevel> levels_by_samples(const Box& box);

 private:
  void raise_by_samples(const Box& box);
  template <class Rule, class Raise>
  void raise_dilated(const Rule& rule, const Box& box, const Raise& raise);

  const Box& grid_;
  const LevelRules& rules_;
  const std::vector<LevelPatch>& of_others_;
  std::vector<KeptLevel> levels_, wide_, scratch_;
};

/// The box and all samples at most `distance` away, within `grid`.
Box grown(const Box& box, Index distance, const Box& grid);

}  // namespace esker
