// KeptField: what a sparse step stores of a field.
#pragma once

#include <memory>
#include <vector>

#include "esker/types/dataset_info.hpp"
#include "grid/block_set.h"

namespace esker {

/// Larger blocks are chosen as long as they store at most this much more than is asked for.
inline constexpr double kMaxStoredOverData = 1.15;

struct KeptField {
  std::shared_ptr<const BlockSet> blocks = {};  ///< null: all
  /// Samples whose level is not finer than the one that is kept at their place; those of all blocks if
  /// `blocks` is null.
  Index num_primary = 0;
};

/// What blocks hold of a grid with so many primary samples. O(runs * max_level).
inline StoredSamples stored_samples_of(const BlockSet& blocks, Index num_primary) {
  const Index in_grid = blocks.num_samples();
  return {num_primary, in_grid - num_primary, blocks.size() * blocks.grid().samples_per_block() - in_grid,
          blocks.size()};
}

/// [position in Schema::fields()]; empty: a dense step.
using KeptFields = std::vector<KeptField>;

/// Whether both store the same blocks.
inline bool have_same_blocks(const KeptFields& a, const KeptFields& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t f = 0; f < a.size(); ++f) {
    if (!a[f].blocks != !b[f].blocks) return false;
    if (a[f].blocks && !(*a[f].blocks == *b[f].blocks)) return false;
  }
  return true;
}

}  // namespace esker
