// RowTiles: splits a row-major array into boxes, each of which is stored in few contiguous runs.
//
// A box is complete along as many fast axes as fit, has as much of the next axis as fits, and a single index
// on the slower axes: one contiguous run of the array. Patches whose densest axis in memory is not x need
// another shape. If a rank holds columns (z fastest in memory), a plane of the array takes one value from
// each column, so a line of memory is read for 8 bytes, and again for the next plane. Their box is a tile:
// rows of several adjacent planes, one contiguous run for each. Samples are ordered tile by tile.
#pragma once

#include "esker/types/box.hpp"

namespace esker {

class RowTiles {
 public:
  struct Planes {
    int axis = 0;     ///< along which planes are stacked; 0: a tile is one run
    Index depth = 1;  ///< planes per tile, at least 1
  };
  /// The samples of [0, extent), in tiles of at most `most_samples`, but at least one.
  RowTiles(int rank, const Point& extent, Index most_samples, const Planes& planes);

  [[nodiscard]] Index num_tiles() const { return num_tiles_; }
  [[nodiscard]] const Point& num_tiles_on() const { return num_tiles_on_; }
  /// Number of consecutive tiles that have the same planes.
  [[nodiscard]] Index tiles_of_planes() const { return tiles_of_planes_; }
  /// The number of a tile in another order, in which tiles of the same rows in adjacent planes are
  /// consecutive.
  [[nodiscard]] Index number_by_rows(Index tile) const;
  /// The extent of the first tile; the last one of an axis may be smaller.
  [[nodiscard]] const Point& tile_extent() const { return tile_; }
  [[nodiscard]] Box box_of(Index tile) const;
  /// Samples before a tile, whose number may be the end.
  [[nodiscard]] Index samples_before(Index tile) const;

  /// Samples that are also contiguous in the array.
  struct Stretch {
    Index first = 0, last = 0;  ///< in the order of tiles, [first, last)
    Index in_array = 0;         ///< position of the first one in the array
  };
  /// The contiguous run that holds a sample, in the order of tiles.
  [[nodiscard]] Stretch stretch_at(Index sample) const;

 private:
  [[nodiscard]] Index samples_before(const Point& place) const;
  [[nodiscard]] Point place_of(Index sample) const;
  /// Distance of adjacent tiles on an axis, in samples of the array.
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
