// Which chunks a variable is stored in, where nobody says: by its grid and type alone.
#pragma once

#include "esker/box.hpp"

namespace esker {

inline constexpr Index kLeastChunkBytes = Index{4} << 20;
inline constexpr Index kMostChunkBytes = Index{16} << 20;

/// Samples per axis of a chunk. A grid of up to kMostChunkBytes is one chunk. Else the slowest axis is cut
/// into nearly equal parts, then the next one where single planes are too large still; with chunks of
/// kLeastChunkBytes to kMostChunkBytes where an axis can be cut so; as large as can be, unless smaller ones
/// reach much less beyond the grid. Pure. O(extent of an axis).
Point choose_chunk(const Box& grid, Index sample_bytes);

}  // namespace esker
