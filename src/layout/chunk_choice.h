// Chooses the default chunks of a variable, from its grid and type only.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

struct ChunkBytes {
  Index least = 0, most = 0;
};
inline constexpr ChunkBytes kChunkBytes{Index{4} << 20, Index{16} << 20};
/// Of compressed chunks, each of which one thread compresses and a reader decompresses completely.
inline constexpr ChunkBytes kCompressedChunkBytes{Index{1} << 20, Index{2} << 20};

/// Samples per axis of a chunk. A grid of up to `limits.most` is one chunk. Otherwise the slowest axis is
/// split into nearly equal parts, and then the next one if single planes are still too large. Chunks have
/// `limits.least` to `limits.most` if an axis can be split that way. They are as large as possible, unless
/// smaller ones extend much less past the grid. Pure. O(extent of an axis).
Point choose_chunk(const Box& grid, Index sample_bytes, const ChunkBytes& limits = kChunkBytes);

/// Samples per axis of a chunk of at most `most_bytes`, but at least one sample: the grid, whose longest axis
/// is halved, the slowest of several, until it fits. Such a chunk has no long and no short axis, so sections
/// across any axis read few chunks, and patches whose fastest axis in memory is not x use the memory lines
/// that they read. On each axis the chunks extend past the grid by less than one sample per chunk. Pure.
/// O(log of the number of samples).
Point choose_brick(const Box& grid, Index sample_bytes, Index most_bytes);

}  // namespace esker
