// ChunkedLayout: a variable that stands in a file in chunks of one shape - as in chunked datasets of HDF5.
//
// Chunks follow each other, x fastest, each row-major and whole, also where it reaches beyond the grid. A
// piece is a slab of a chunk: what it has of some neighbouring indices of one axis, all of the faster axes
// and one index of the slower ones. So pieces are boxes, contiguous in the file, and small where chunks are
// large.
#pragma once

#include "layout/one_variable.h"

namespace esker {

class ChunkedLayout final : public OneVariableLayout {
 public:
  struct Shape {
    Point chunk{1, 1, 1, 1, 1};  ///< samples per axis, at least 1
    Index alignment_bytes = 1;   ///< of chunks, counted from the first one
  };
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of the file on, in pieces of
  /// `piece_bytes` or less, at least one sample.
  ChunkedLayout(int rank, const Point& extent, Index sample_bytes, const Shape& shape, Index offset_bytes,
                Index piece_bytes);

  [[nodiscard]] Index num_chunks() const { return num_chunks_; }
  /// From a chunk to the next.
  [[nodiscard]] Index chunk_stride_bytes() const { return chunk_stride_bytes_; }
  /// The lowest index of a chunk.
  [[nodiscard]] Point chunk_origin(Index chunk) const;

  [[nodiscard]] Index num_pieces() const override { return num_chunks_ * slabs_per_chunk_; }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Index largest_piece_bytes() const override;
  [[nodiscard]] Point tile_extent(int /*level*/) const override { return slab_; }
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  /// Samples of a chunk before a slab of it, whose number may be that of the end.
  [[nodiscard]] Index samples_before(Index slab) const;
  [[nodiscard]] Box box_of(Index ordinal) const;

  Point chunk_;
  Point num_chunks_on_{1, 1, 1, 1, 1}, num_slabs_on_{1, 1, 1, 1, 1};  // slabs: of a chunk
  Point slab_{1, 1, 1, 1, 1};  // the last one of an axis may be smaller
  Index num_chunks_ = 1, slabs_per_chunk_ = 1;
  Index chunk_samples_ = 1;
  Index chunk_stride_bytes_;
};

}  // namespace esker
