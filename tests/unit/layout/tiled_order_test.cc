// Cells are numbered tile by tile: compared with a list of them, made by walking through the tiles.
#include "layout/tiled_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "layout/places.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::Random;

TEST(TiledOrder, NumbersTheCellsTileByTile) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const int rank = static_cast<int>(random.in(1, kMaxRank));
    Point counts{1, 1, 1, 1, 1}, tile{1, 1, 1, 1, 1}, tiles{1, 1, 1, 1, 1};
    for (int a = 0; a < rank; ++a) {
      counts[a] = random.in(1, 6);
      tile[a] = random.in(1, 7);
      tiles[a] = div_up(counts[a], tile[a]);
    }
    const TiledOrder order(rank, counts, tile);
    Index number = 0, tile_number = 0;
    for_each_place(Box::from_extent(rank, tiles), [&](const Point& place) {
      Box box = Box::from_extent(rank, counts);
      for (int a = 0; a < rank; ++a) {
        box.lo[a] = place[a] * tile[a];
        box.hi[a] = std::min(counts[a], box.lo[a] + tile[a]);
      }
      ASSERT_EQ(order.box_of_tile(tile_number), box);
      ASSERT_EQ(order.first_of_tile(tile_number), number);
      for_each_place(box, [&](const Point& cell) {
        ASSERT_EQ(order.number_of(cell), number);
        ASSERT_EQ(order.cell_of(number), cell);
        ASSERT_EQ(order.tile_of(number), tile_number);
        ++number;
      });
      ++tile_number;
    });
    ASSERT_EQ(order.num_tiles(), tile_number);
    ASSERT_EQ(order.num_cells(), number);
    ASSERT_EQ(order.first_of_tile(tile_number), number);
  }
}

}  // namespace
}  // namespace esker
