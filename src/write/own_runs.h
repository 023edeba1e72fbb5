// One-phase writing: a rank writes only the samples that it holds, directly to the files.
#pragma once

#include <span>

#include "plan/piece_space.h"
#include "plan/plan.h"
#include "write/step_files.h"

namespace esker {

/// Writes the samples of `round` (of a one-phase plan), which are already in `buffer`, as contiguous runs:
/// one write per run. `mask` has room for one byte per sample of a piece.
Status write_own_runs(const PieceSpace& space, const Round& round, std::span<const std::byte> buffer,
                      std::span<std::byte> mask, StepFiles& files);

}  // namespace esker
