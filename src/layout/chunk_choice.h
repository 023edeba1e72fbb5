// Chooses the default chunks of a variable, from its grid and type only.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

inline constexpr Index kLeastChunkBytes = Index{4} << 20;
inline constexpr Index kMostChunkBytes = Index{16} << 20;

/// Samples per axis of a chunk. A grid of up to kMostChunkBytes is one chunk. Otherwise the slowest axis is
/// split into nearly equal parts, and then the next one if single planes are still too large. Chunks have
/// kLeastChunkBytes to kMostChunkBytes if an axis can be split that way. They are as large as possible,
/// unless smaller ones extend much less past the grid. Pure. O(extent of an axis).
Point choose_chunk(const Box& grid, Index sample_bytes);

}  // namespace esker
