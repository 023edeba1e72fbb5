// One-phase writing: a rank writes the samples that it holds, and nothing else, straight to the files.
#pragma once

#include <span>

#include "plan/piece_space.h"
#include "plan/plan.h"
#include "write/step_files.h"

namespace esker {

/// Writes the samples of `round` (of a one-phase plan), which are in place in `window`, as contiguous runs:
/// one write each. `marks` has room for a mark per sample of a piece.
Status write_own_runs(const PieceSpace& space, const Round& round, std::span<const std::byte> window,
                      std::span<std::byte> marks, StepFiles& files);

}  // namespace esker
