// RowTiles: a row-major array cut into boxes, each of which fills few stretches of it.
//
// A box is whole on the fast axes, as far as that fits, then as much of the next one as fits, and a single
// index above: one stretch of the array. Patches that are densest in memory along another axis than x want
// more: where a rank holds columns (z fastest in memory), a plane of the array takes one value from each of
// them, so a line of memory is read for 8 bytes, and again for the next plane. Their box is a tile: rows of
// several neighbouring planes, one stretch for each. Samples are in order tile by tile.
#pragma once

#include "esker/box.hpp"

namespace esker {

class RowTiles {
 public:
  struct Planes {
    int axis = 0;     ///< along which planes follow each other; 0: a tile is one stretch
    Index depth = 1;  ///< planes of a tile, at least 1
  };
  /// The samples of [0, extent), in tiles of `most_samples` or less, at least one.
  RowTiles(int rank, const Point& extent, Index most_samples, const Planes& planes);

  [[nodiscard]] Index num_tiles() const { return num_tiles_; }
  [[nodiscard]] const Point& num_tiles_on() const { return num_tiles_on_; }
  /// Tiles that have the same planes; they follow each other.
  [[nodiscard]] Index tiles_of_planes() const { return tiles_of_planes_; }
  /// The number of a tile in another order: tiles of the same rows in neighbouring planes follow each other.
  [[nodiscard]] Index number_by_rows(Index tile) const;
  /// Of the first tile; the last one of an axis may be smaller.
  [[nodiscard]] const Point& tile_extent() const { return tile_; }
  [[nodiscard]] Box box_of(Index tile) const;
  /// Samples before a tile, whose number may be that of the end.
  [[nodiscard]] Index samples_before(Index tile) const;

  /// Samples that follow each other in the array, too.
  struct Stretch {
    Index first = 0, last = 0;  ///< in the order of tiles, [first, last)
    Index in_array = 0;         ///< where the first one is
  };
  /// The stretch that holds a sample, in the order of tiles.
  [[nodiscard]] Stretch stretch_at(Index sample) const;

 private:
  [[nodiscard]] Index samples_before(const Point& place) const;
  [[nodiscard]] Point place_of(Index sample) const;
  /// Samples of the array from one tile to the next, on an axis.
  [[nodiscard]] Index step_on(int axis, const Point& place) const;

  Box array_;
  Point strides_{};  // of the axes, in samples
  int plane_axis_;   // kMaxRank: there are no planes
  Point tile_{1, 1, 1, 1, 1};
  Point num_tiles_on_{1, 1, 1, 1, 1};
  Index tiles_of_planes_ = 1;
  Index num_tiles_ = 1;
};

}  // namespace esker
