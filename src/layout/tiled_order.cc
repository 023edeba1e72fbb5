#include "layout/tiled_order.h"

#include <algorithm>

#include "base/checked.h"
#include "layout/places.h"

namespace esker {

TiledOrder::TiledOrder(int rank, const Point& counts, const Point& tile)
    : cells_(Box::from_extent(rank, counts)) {
  for (int a = 0; a < rank; ++a) {
    tile_[a] = std::min(tile[a], counts[a]);
    num_tiles_on_[a] = div_up(counts[a], tile_[a]);
    num_tiles_ *= num_tiles_on_[a];
  }
}

Box TiledOrder::tile_at(const Point& place) const {
  Box tile = cells_;
  for (int a = 0; a < cells_.rank; ++a) {
    tile.lo[a] = place[a] * tile_[a];
    tile.hi[a] = std::min(tile.lo[a] + tile_[a], cells_.hi[a]);
  }
  return tile;
}

Box TiledOrder::box_of_tile(Index tile) const { return tile_at(place_in(num_tiles_on_, cells_.rank, tile)); }

/// Those of the tiles with a lower place on an axis, and the same one on all slower axes.
Index TiledOrder::cells_before(const Box& tile) const {
  Index before = 0, below = num_cells(), above = 1;
  for (int a = cells_.rank; a-- > 0;) {
    below /= cells_.hi[a];
    before += tile.lo[a] * below * above;
    above *= tile.hi[a] - tile.lo[a];
  }
  return before;
}

Index TiledOrder::first_of_tile(Index tile) const {
  return tile == num_tiles_ ? num_cells() : cells_before(box_of_tile(tile));
}

Box TiledOrder::find_tile(Index& number) const {
  Point place{};
  Index below = num_cells(), above = 1;
  for (int a = cells_.rank; a-- > 0;) {
    below /= cells_.hi[a];
    const Index in_tiles = tile_[a] * below * above;  // that have one place on this axis
    place[a] = number / in_tiles;
    number -= place[a] * in_tiles;
    above *= std::min(tile_[a], cells_.hi[a] - place[a] * tile_[a]);
  }
  return tile_at(place);
}

Index TiledOrder::tile_of(Index number) const {
  const Box tile = find_tile(number);
  Point place{};
  for (int a = 0; a < cells_.rank; ++a) place[a] = tile.lo[a] / tile_[a];
  return number_in(num_tiles_on_, cells_.rank, place);
}

Point TiledOrder::cell_of(Index number) const {
  const Box tile = find_tile(number);
  Point cell = place_in(tile.extents(), cells_.rank, number);
  for (int a = 0; a < cells_.rank; ++a) cell[a] += tile.lo[a];
  return cell;
}

Index TiledOrder::number_of(const Point& cell) const {
  Point place{}, in_tile{};
  for (int a = 0; a < cells_.rank; ++a) place[a] = cell[a] / tile_[a];
  const Box tile = tile_at(place);
  for (int a = 0; a < cells_.rank; ++a) in_tile[a] = cell[a] - tile.lo[a];
  return cells_before(tile) + number_in(tile.extents(), cells_.rank, in_tile);
}

}  // namespace esker
