// Reads the samples of one patch that belong to a lattice of a grid at least as fine.
#pragma once

#include <cstddef>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::vtkhdf {

/// A patch in a file: its samples are row-major from `offset` on.
struct StoredPatch {
  Box box;  ///< in the indices of its level
  Index offset = 0;
  Index sample_bytes = 0;
};

/// Reads the samples at `indices` of `samples` to `out`, which has all of `samples`, dense, x fastest. Sample
/// p of the grid is sample p / ratio of the level, rounded down; those at `indices` are in the patch. Gaps
/// that are not cheap to read are skipped, whatever the ratio and the strides.
Status read_patch(const File& file, const StoredPatch& patch, const Point& ratio, const Lattice& samples,
                  const Box& indices, std::byte* out);

}  // namespace esker::vtkhdf
