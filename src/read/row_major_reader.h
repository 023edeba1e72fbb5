// RowMajorReader: reads a lattice of samples from an array that is row-major in a file.
//
// Samples with small gaps are read together with the gaps and compacted in memory, because a gap costs less
// than a file system call. Samples with large gaps are read one run at a time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker {

class RowMajorReader {
 public:
  /// The array begins at byte `offset` of the file: samples [0, extent), axis 0 fastest. `selection` must be
  /// inside it. `file` must outlive this object.
  RowMajorReader(const File& file, Index offset, const Point& extent, Index sample_bytes,
                 const Lattice& selection);

  /// Reads to `out`: dense, axis 0 fastest. `decode` is called for each part that was read and works in
  /// place. Memory: 1 MiB.
  Status read(std::byte* out, const std::function<void(std::span<std::byte>)>& decode);

 private:
  struct Axis {
    Index count = 0;
    Index stride_bytes = 0;      // in the file, between two selected indices
    Index span_bytes = 0;        // in the file, of the samples selected at one index
    Index selected_bytes = 0;    // of these samples, without gaps
    Index indices_per_read = 0;  // 0: each index takes several reads
  };

  Status read_axis(int axis, Index offset, std::byte* out);
  Status read_indices(int axis, Index n, Index offset, std::byte* out);

  const File& file_;
  Index offset_, sample_bytes_;
  int rank_;
  std::array<Axis, kMaxRank> axes_;
  std::vector<std::byte> buffer_;
  const std::function<void(std::span<std::byte>)>* decode_ = nullptr;
};

}  // namespace esker
