#include "read/chunk_reader.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/checked.h"
#include "base/macros.h"
#include "grid/copy_samples.h"
#include "layout/places.h"

namespace esker {
namespace {

constexpr Index kSlabBytes = Index{1} << 20;

/// The part of a selection in one chunk.
class ChunkPart {
 public:
  ChunkPart(const ChunkedArray& array, const Lattice& selection, const ReadChunk& read_chunk,
            const Point& chunk)
      : array_(array), selection_(selection), read_chunk_(read_chunk), chunk_(chunk) {
    Box box = Box::from_extent(selection.rank, array.chunk);
    for (int a = 0; a < selection.rank; ++a) {
      origin_[a] = chunk[a] * array.chunk[a];
      box.lo[a] += origin_[a];
      box.hi[a] += origin_[a];
    }
    indices_ = selection.indices_in(box);
  }

  Status read(std::byte* out) {
    if (indices_.empty()) return {};
    if (is_dense()) return read_indices(indices_, out + offset_of(indices_.lo));
    const Point slab = slab_extent(indices_.extents(), indices_.rank, kSlabBytes / array_.sample_bytes);
    Box slabs = indices_;
    for (int a = 0; a < slabs.rank; ++a) slabs.lo[a] = 0, slabs.hi[a] = div_up(indices_.extent(a), slab[a]);
    Status status;
    for_each_place(slabs, [&](const Point& place) {
      if (!status.ok()) return;
      Box part = indices_;
      for (int a = 0; a < part.rank; ++a) {
        part.lo[a] += place[a] * slab[a];
        part.hi[a] = std::min(part.hi[a], part.lo[a] + slab[a]);
      }
      buffer_.resize(static_cast<std::size_t>(part.num_samples() * array_.sample_bytes));
      status = read_indices(part, buffer_.data());
      if (status.ok()) copy(part, out);
    });
    return status;
  }

 private:
  /// Whether they are contiguous in the result.
  [[nodiscard]] bool is_dense() const {
    bool is_whole = true;
    for (int a = 0; a < indices_.rank; ++a) {
      if (!is_whole && indices_.extent(a) > 1) return false;
      is_whole = is_whole && indices_.extent(a) == selection_.count[a];
    }
    return true;
  }

  [[nodiscard]] Index offset_of(const Point& index) const {
    return number_in(selection_.count, selection_.rank, index) * array_.sample_bytes;
  }

  Status read_indices(const Box& indices, std::byte* out) {
    Lattice part = selection_.sub(indices);
    for (int a = 0; a < part.rank; ++a) part.origin[a] -= origin_[a];
    return read_chunk_(chunk_, part, out);
  }

  void copy(const Box& indices, std::byte* out) const {
    std::array<Index, kMaxRank> strides{};
    Index stride = array_.sample_bytes;
    for (int a = 0; a < indices.rank; stride *= selection_.count[a], ++a) strides[a] = stride;
    copy_samples(array_.sample_bytes, buffer_.data(), SampleMap::dense(indices, array_.sample_bytes),
                 out + offset_of(indices.lo), SampleMap::strided(indices, strides));
  }

  const ChunkedArray& array_;
  const Lattice& selection_;
  const ReadChunk& read_chunk_;
  Point chunk_, origin_{};
  Box indices_;
  std::vector<std::byte> buffer_;
};

}  // namespace

Point ChunkedArray::counts(int rank) const {
  Point counts{1, 1, 1, 1, 1};
  for (int a = 0; a < rank; ++a) counts[a] = div_up(extent[a], chunk[a]);
  return counts;
}

Status read_chunks(const ChunkedArray& array, const Lattice& selection, const ReadChunk& read_chunk,
                   std::byte* out) {
  const Box bounds = selection.bounds();
  if (bounds.empty()) return {};
  // Where samples are farther apart than chunks, each is in another chunk, and most chunks have none.
  Point first{}, counts{1, 1, 1, 1, 1};
  for (int a = 0; a < bounds.rank; ++a) {
    first[a] = bounds.lo[a] / array.chunk[a];
    const bool is_sparse = selection.stride[a] > array.chunk[a];
    counts[a] = is_sparse ? selection.count[a] : div_up(bounds.hi[a], array.chunk[a]) - first[a];
  }
  Status status;
  for_each_place(Box::from_extent(bounds.rank, counts), [&](const Point& place) {
    if (!status.ok()) return;
    Point chunk{};
    for (int a = 0; a < bounds.rank; ++a) {
      const bool is_sparse = selection.stride[a] > array.chunk[a];
      chunk[a] = is_sparse ? (selection.origin[a] + place[a] * selection.stride[a]) / array.chunk[a]
                           : first[a] + place[a];
    }
    status = ChunkPart(array, selection, read_chunk, chunk).read(out);
  });
  return status;
}

}  // namespace esker
