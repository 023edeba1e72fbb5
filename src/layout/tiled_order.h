// TiledOrder: numbers the cells of a grid tile by tile, as chunks are numbered that are stored in several
// files.
//
// The tiles are in row-major order, x fastest, and so are the cells of a tile. Tiles at the upper end of an
// axis have fewer cells, if the grid ends there. With one tile, this is the row-major order of the grid.
// Pure; each function takes O(rank).
#pragma once

#include "esker/types/box.hpp"

namespace esker {

class TiledOrder {
 public:
  /// The cells of [0, counts), in tiles of at most `tile` cells per axis, at least 1.
  TiledOrder(int rank, const Point& counts, const Point& tile);

  [[nodiscard]] Index num_cells() const { return cells_.num_samples(); }
  [[nodiscard]] Index num_tiles() const { return num_tiles_; }
  [[nodiscard]] const Point& num_tiles_on() const { return num_tiles_on_; }
  [[nodiscard]] const Point& tile_extent() const { return tile_; }
  /// The cells of a tile.
  [[nodiscard]] Box box_of_tile(Index tile) const;
  /// The number of the first cell of a tile; of num_tiles(): num_cells().
  [[nodiscard]] Index first_of_tile(Index tile) const;
  /// The tile of a cell.
  [[nodiscard]] Index tile_of(Index number) const;
  [[nodiscard]] Point cell_of(Index number) const;
  [[nodiscard]] Index number_of(const Point& cell) const;

 private:
  [[nodiscard]] Index cells_before(const Box& tile) const;
  /// The tile of a cell, whose number becomes that in the tile.
  [[nodiscard]] Box find_tile(Index& number) const;
  [[nodiscard]] Box tile_at(const Point& place) const;

  Box cells_;
  Point tile_{1, 1, 1, 1, 1};
  Point num_tiles_on_{1, 1, 1, 1, 1};
  Index num_tiles_ = 1;
};

}  // namespace esker
