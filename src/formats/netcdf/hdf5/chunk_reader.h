// ChunkReader: the samples of a lattice from an array that stands in a file in chunks, each row-major.
#pragma once

#include <cstddef>
#include <span>

#include "esker/box.hpp"
#include "esker/lattice.hpp"
#include "esker/status.hpp"
#include "store/store.h"

namespace esker {

/// Samples [0, extent), axis 0 the fastest, in chunks that are whole also where they reach beyond.
struct ChunkedArray {
  Point extent{1, 1, 1, 1, 1}, chunk{1, 1, 1, 1, 1};
  Index sample_bytes = 0;
  std::span<const Index> places;  ///< where chunks begin in the file, axis 0 the fastest
};

/// Reads `selection`, which lies in the array, to `out`: dense, axis 0 the fastest. Memory: 2 MiB.
Status read_chunks(const File& file, const ChunkedArray& array, const Lattice& selection, std::byte* out);

}  // namespace esker
