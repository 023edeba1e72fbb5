// Compares what is read with the values of the formula, bit for bit. All functions are local and throw
// std::runtime_error at the first difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "snapshot.h"

namespace uintah {

/// All cells of a patch. `found`: as OwnPatch::values[field].
void require_same(const std::string& path, const OwnPatch& patch, int field,
                  const std::vector<double>& found);
/// The same, read from a dataset of the patch's level, or from this level of a dataset of whole levels.
void require_patch(const esker::Dataset& dataset, Index step, const OwnPatch& patch,
                   std::optional<int> mesh_level = {});
/// The samples of the finest level in the patch's cells that no finer patch covers: each is that of its cell.
void require_composite(const esker::Dataset& dataset, const Snapshot& snapshot, const OwnPatch& patch);

}  // namespace uintah
