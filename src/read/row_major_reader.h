// RowMajorReader: the samples of a lattice from an array that is row-major in a file.
//
// What lies close together is read at once with the gaps between, and thinned in memory: a gap costs less
// than a call to the file system. What lies apart is read piece by piece.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "esker/box.hpp"
#include "esker/lattice.hpp"
#include "esker/status.hpp"
#include "store/store.h"

namespace esker {

class RowMajorReader {
 public:
  /// The array begins at byte `offset` of the file: samples [0, extent), axis 0 the fastest. `selection` lies
  /// in it. `file` outlives this.
  RowMajorReader(const File& file, Index offset, const Point& extent, Index sample_bytes,
                 const Lattice& selection);

  /// To `out`: dense, axis 0 the fastest. `decode` gets what was read, piece by piece, in its place there.
  /// Memory: 1 MiB.
  Status read(std::byte* out, const std::function<void(std::span<std::byte>)>& decode);

 private:
  struct Axis {
    Index count = 0;
    Index stride_bytes = 0;      // in the file, from one selected index to the next
    Index span_bytes = 0;        // in the file, of what is selected at one index
    Index selected_bytes = 0;    // of it, without gaps
    Index indices_per_read = 0;  // 0: each index is several reads
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
