// RowTilesLayout: a row-major variable as RowMajorLayout has it, collected in tiles across its rows - for
// patches that are densest in memory along another axis than x.
//
// Where a rank holds columns (z fastest in memory), one plane of the file takes one value from each of them:
// a line of memory is read for 8 bytes, and again for the next plane. A tile is some rows of some
// neighbouring planes, a box; a piece is a tile. In the file it is not one stretch but one per plane: so
// positions here follow each other tile by tile, and file_at() says where each stretch of them is. With tiles
// of one plane of the slowest axis each share can be of whole planes: slabs.
#pragma once

#include "layout/one_variable.h"

namespace esker {

class RowTilesLayout final : public OneVariableLayout {
 public:
  struct Tiles {
    int axis = 1;     ///< in (0, rank): of the planes
    Index depth = 0;  ///< planes of a tile; 0: some lines of memory, if the axis is the patches' fastest
    bool in_slabs = false;  ///< shares are of whole planes; the axis is the slowest, and depth 1
  };
  /// The samples of [0, extent), `sample_bytes` each, from byte `offset_bytes` of the file on, in tiles of
  /// `piece_bytes` or less, at least one sample.
  RowTilesLayout(int rank, const Point& extent, Index sample_bytes, Index offset_bytes, Index piece_bytes,
                 const Tiles& tiles);

  [[nodiscard]] Index num_pieces() const override { return num_tiles_; }
  [[nodiscard]] Piece piece(Index ordinal) const override;
  [[nodiscard]] PiecePart part(const Piece& piece, int number) const override;
  [[nodiscard]] Index position_bytes(Index ordinal) const override;
  [[nodiscard]] FileSpan file_at(Index position) const override;
  [[nodiscard]] Index largest_piece_bytes() const override;
  [[nodiscard]] int share_of(Index ordinal, const BrickDecomposition& bricks) const override;
  [[nodiscard]] std::vector<std::vector<Run>> runs_of_shares(const BrickDecomposition& bricks) const override;
  [[nodiscard]] Point tile_extent(int /*level*/) const override { return tile_; }
  void for_each_segment(int field, const Box& box, Levels levels, const VisitSegment& visit) const override;
  using Layout::for_each_segment;

 private:
  [[nodiscard]] Box box_of(Index ordinal) const;
  /// Samples before a tile in the order of positions.
  [[nodiscard]] Index samples_before(const Point& place) const;
  /// The tile that holds that sample, in the order of positions.
  [[nodiscard]] Point place_of(Index sample) const;
  /// Planes of the tiles at a place: of the last ones there may be fewer.
  [[nodiscard]] Index depth_at(const Point& place) const;

  Point strides_{};  // of the axes, in samples
  int plane_axis_;
  bool in_slabs_;
  Point tile_{1, 1, 1, 1, 1};
  Point num_tiles_on_{1, 1, 1, 1, 1};
  Index num_tiles_ = 1;
};

}  // namespace esker
