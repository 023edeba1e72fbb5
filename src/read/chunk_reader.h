// read_chunks: reads a lattice of samples from an array stored in row-major chunks, in any file.
#pragma once

#include <cstddef>
#include <functional>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Samples [0, extent), axis 0 fastest. Chunks that extend past the array are stored complete.
struct ChunkedArray {
  Point extent{1, 1, 1, 1, 1}, chunk{1, 1, 1, 1, 1};
  Index sample_bytes = 0;

  /// Chunks per axis.
  [[nodiscard]] Point counts(int rank) const;
};

/// Reads a lattice of a chunk, in indices of the chunk, to `out`: dense, axis 0 fastest.
using ReadChunk = std::function<Status(const Point& chunk, const Lattice& part, std::byte* out)>;

/// Reads `selection`, which must be inside the array, to `out`: dense, axis 0 fastest. Calls read_chunk()
/// chunk by chunk, axis 0 fastest, for at most 1 MiB at a time unless the samples are contiguous in the
/// result.
Status read_chunks(const ChunkedArray& array, const Lattice& selection, const ReadChunk& read_chunk,
                   std::byte* out);

}  // namespace esker
