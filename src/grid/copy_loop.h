// CopyLoop: a copy of samples as few nested loops over runs of bytes.
#pragma once

#include <array>
#include <cstdlib>

#include "grid/copy_samples.h"

namespace esker {

/// One axis of a copy: the offset of each index on both sides.
struct CopyAxis {
  Index count = 1;
  Index source_stride = 0, target_stride = 0;
  const Index* source_table = nullptr;  ///< instead of a stride
  const Index* target_table = nullptr;

  [[nodiscard]] bool is_linear() const { return !source_table && !target_table; }
  [[nodiscard]] Index source(Index i) const { return source_table ? source_table[i] : i * source_stride; }
  [[nodiscard]] Index target(Index i) const { return target_table ? target_table[i] : i * target_stride; }
  [[nodiscard]] Index source_step() const { return std::abs(source(1) - source(0)); }
  [[nodiscard]] Index target_step() const { return std::abs(target(1) - target(0)); }
};

/// Axes innermost first, those with the smallest steps in the target; all have several indices.
struct CopyLoop {
  std::array<CopyAxis, kMaxCopyAxes> axis;  ///< beyond num_axes, of one index
  int num_axes = 0;
  Index run_bytes = 0;  ///< copied at once
  Index first_source = 0, first_target = 0;
};

/// The copy of `element_bytes` for every combination of indices; both maps have the same axes and counts, of
/// at least one index. Axes that are dense on both sides are in the run, others that are contiguous are
/// joined. The tables are those of the maps. Pure; allocates nothing.
CopyLoop make_copy_loop(Index element_bytes, const SampleMap& source_map, const SampleMap& target_map);

}  // namespace esker
