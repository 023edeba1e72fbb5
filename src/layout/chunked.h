// ChunkedLayout: a variable that stands in a file in chunks of one shape - as in chunked datasets of HDF5, or
// in one, as in CDF files.
//
// Chunks follow each other, x fastest, each row-major and whole, also where it reaches beyond the grid. A
// piece is a tile of a chunk (layout/row_tiles.h): a box, and small where chunks are large. A tile of several
// planes is not one stretch of the file but one per plane: so positions here follow each other tile by tile,
// and file_at() says where each stretch of them is. Two pieces of a chunk are as far apart in the file as
// their positions are only where tiles have no planes.
#pragma once

#include "layout/one_variable.h"
#include "layout/row_tiles.h"

namespace esker {

class ChunkedLayout final : public OneVariableLayout {
 public:
  struct Shape {
    Point chunk{1, 1, 1, 1, 1};  ///< samples per axis, at least 1
    Index alignment_bytes = 1;   ///< of chunks, counted from the first one
  };
  struct Tiles {
    Index piece_bytes = 1;  ///< or less, but at least one sample
    int dense_axis = 0;     ///< the patches' fastest in memory: some lines of memory are read at a time
    bool in_slabs = false;  ///< shares are of whole planes of the slowest axis, and tiles of one plane
  };
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of the file on.
  ChunkedLayout(int rank, const Point& extent, Index sample_bytes, const Shape& shape, Index offset_bytes,
                const Tiles& tiles);

  [[nodiscard]] Index num_chunks() const { return num_chunks_; }
  /// From a chunk to the next.
  [[nodiscard]] Index chunk_stride_bytes() const { return chunk_stride_bytes_; }
  /// The lowest index of a chunk.
  [[nodiscard]] Point chunk_origin(Index chunk) const;

  [[nodiscard]] Index num_pieces() const override { return num_chunks_ * tiles_.num_tiles(); }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Index largest_piece_bytes() const override;
  /// Where tiles have several planes, tiles of the same rows follow each other: what they take from memory is
  /// in the same lines and pages.
  [[nodiscard]] Index place_on_curve(Index ordinal) const override;
  /// Stretches of that order, so that a share has rows of all planes, as the ranks do.
  [[nodiscard]] int share_of(Index ordinal, const BrickDecomposition& bricks) const override;
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Point tile_extent(int /*level*/) const override { return tiles_.tile_extent(); }
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  [[nodiscard]] Box box_of(Index ordinal) const;

  Point chunk_;
  Point num_chunks_on_{1, 1, 1, 1, 1};
  Index num_chunks_ = 1;
  RowTiles tiles_;         // of a chunk
  bool has_planes_;        // along the dense axis
  Index pieces_together_;  // that are of one share, one after the other
  Index chunk_bytes_;
  Index chunk_stride_bytes_;
};

}  // namespace esker
