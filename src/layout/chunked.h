// ChunkedLayout: a variable stored in chunks of one shape, as in chunked HDF5 datasets, or in one chunk, as
// in CDF files; in one file, or in several with a box of chunks each, as the shards of Zarr arrays.
//
// Files are in row-major order of their boxes, x fastest, and so are the chunks of a file, which are stored
// one after the other. Each chunk is row-major and complete, even if it extends past the grid. A piece is a
// tile of a chunk (layout/row_tiles.h): a box, which is small if chunks are large. A tile of several planes
// is not contiguous in the file; each plane is. Positions are therefore counted tile by tile, and file_at()
// maps each contiguous run of them to the file. The distance of two pieces of a chunk in the file equals that
// of their positions only if tiles have no planes.
#pragma once

#include "layout/one_variable.h"
#include "layout/row_tiles.h"
#include "layout/tiled_order.h"

namespace esker {

/// The tiles of a variable that is stored in one chunk: a few of them are in the cache of a core.
inline constexpr Index kTileBytes = Index{512} << 10;

class ChunkedLayout final : public OneVariableLayout {
 public:
  struct Shape {
    Point chunk{1, 1, 1, 1, 1};  ///< samples per axis, at least 1
    Index alignment_bytes = 1;   ///< of chunks, relative to the first one of the file
    Index spare_bytes = 0;       ///< after each chunk, at least
    Point chunks_per_file{};     ///< per axis; 0: all
  };
  struct Tiles {
    Index piece_bytes = 1;  ///< maximum, but at least one sample
    int dense_axis = 0;     ///< the patches' fastest in memory: tiles read a few memory lines at a time
    bool in_slabs = false;  ///< domains have complete planes of the slowest axis, and tiles have one plane
  };
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of each file on. With several
  /// files, tiles have no planes: piece by piece, a file is contiguous.
  ChunkedLayout(int rank, const Point& extent, Index sample_bytes, const Shape& shape, Index offset_bytes,
                const Tiles& tiles);

  [[nodiscard]] Index num_chunks() const { return chunks_.num_cells(); }
  /// Which chunks are in which file.
  [[nodiscard]] const TiledOrder& chunks() const { return chunks_; }
  /// The distance between two chunks.
  [[nodiscard]] Index chunk_stride_bytes() const { return chunk_stride_bytes_; }
  /// The lowest index of a chunk.
  [[nodiscard]] Point chunk_origin(Index chunk) const;

  [[nodiscard]] Index num_pieces() const override { return num_chunks() * tiles_.num_tiles(); }
  [[nodiscard]] Index num_files() const override { return chunks_.num_tiles(); }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Index largest_piece_bytes() const override;
  /// If tiles have several planes, orders tiles of the same rows one after the other, because they read the
  /// same lines and pages of memory.
  [[nodiscard]] Index place_on_curve(const Piece& piece) const override { return place_of(piece.ordinal); }
  /// Contiguous domains of that order, so that a domain has rows of all planes, as the ranks do.
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Point tile_extent(int /*level*/) const override { return tiles_.tile_extent(); }
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  [[nodiscard]] Box box_of(Index ordinal) const;
  [[nodiscard]] Index place_of(Index ordinal) const;
  [[nodiscard]] FileSpan file_of_chunk(Index chunk) const;

  Point chunk_;
  TiledOrder chunks_;
  RowTiles tiles_;         // of a chunk
  bool has_planes_;        // along the dense axis
  Index pieces_together_;  // consecutive pieces that are in the same domain
  Index chunk_bytes_;
  Index chunk_stride_bytes_;
};

}  // namespace esker
