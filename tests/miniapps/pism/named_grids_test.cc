#include "named_grids.h"

#include <gtest/gtest.h>

#include "grid.h"

namespace pism {
namespace {

TEST(NamedGrids, HaveTheExpectedPoints) {
  const auto points = [](const char* name) {
    const GridSpec* grid = find_named_grid(name);
    return grid ? std::vector<Index>{grid->Mx, grid->My, grid->Mz} : std::vector<Index>{};
  };
  EXPECT_EQ(points("g5km"), (std::vector<Index>{301, 561, 201}));
  EXPECT_EQ(points("g1km"), (std::vector<Index>{1501, 2801, 401}));
  EXPECT_EQ(points("a10km"), (std::vector<Index>{600, 600, 301}));
  EXPECT_EQ(points("a5km"), (std::vector<Index>{1200, 1200, 301}));
  EXPECT_EQ(find_named_grid("g5k"), nullptr);
}

TEST(NamedGrids, OfOneRegionHaveTheSameExtent) {
  for (const NamedGrid& named : kNamedGrids) {
    const GridSpec& grid = named.grid;
    const auto x = regular_axis(grid.Mx, grid.x0, grid.spacing),
               y = regular_axis(grid.My, grid.y0, grid.spacing);
    EXPECT_EQ(axis_spacing(x, "x"), grid.spacing) << named.name;
    if (named.name[0] == 'g') {
      EXPECT_EQ(x.front(), -800e3);
      EXPECT_EQ(x.back(), 700e3);
      EXPECT_EQ(y.front(), -3400e3);
      EXPECT_EQ(y.back(), -600e3);
    } else {  // cells that make up the square of 6000 km
      EXPECT_EQ(x.front() - 0.5 * grid.spacing, -3000e3);
      EXPECT_EQ(x.back() + 0.5 * grid.spacing, 3000e3);
      EXPECT_EQ(x, y);
    }
  }
}

}  // namespace
}  // namespace pism
