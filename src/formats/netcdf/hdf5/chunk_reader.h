// ChunkReader: reads a lattice of samples from an array stored in row-major chunks.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

/// Samples [0, extent), axis 0 fastest. Chunks that extend past the array are stored complete.
struct ChunkedArray {
  Point extent{1, 1, 1, 1, 1}, chunk{1, 1, 1, 1, 1};
  Index sample_bytes = 0;
  std::span<const Index> places;  ///< file offsets of the chunks, axis 0 fastest
};

/// Reads `selection`, which must be inside the array, to `out`: dense, axis 0 fastest. Memory: 2 MiB.
Status read_chunks(const File& file, const ChunkedArray& array, const Lattice& selection, std::byte* out);

}  // namespace esker
