#include "grid.h"

#include <gtest/gtest.h>

namespace pism {
namespace {

TEST(Grid, RequiresRegularAxes) {
  EXPECT_THROW(make_grid({0, 1, 3}, {0, 1}, 2, 10), std::invalid_argument);
  EXPECT_THROW(make_grid({1, 0}, {0, 1}, 2, 10), std::invalid_argument);
  EXPECT_THROW(make_grid({0}, {0, 1}, 2, 10), std::invalid_argument);
  EXPECT_THROW(make_grid({0, 1}, {0, 1}, 1, 10), std::invalid_argument);
}

TEST(Grid, EqualLevelsHaveOneSpacing) {
  const Grid grid = make_grid({0, 1}, {0, 1}, 61, 4000);
  EXPECT_EQ(grid.dz, std::vector<double>(60, 4000.0 / 60));
  EXPECT_DOUBLE_EQ(grid.z.back(), 4000);
}

TEST(Grid, QuadraticLevelsAreFourTimesFinerAtTheBed) {
  const Grid grid = make_grid({0, 1}, {0, 1}, 1001, 4000, ZSpacing::kQuadratic);
  EXPECT_EQ(grid.z.front(), 0);
  EXPECT_EQ(grid.z.back(), 4000);
  EXPECT_NEAR(grid.dz.front() / 4.0, 0.25, 0.001);
  EXPECT_NEAR(grid.dz.back() / 4.0, 1.75, 0.001);
  EXPECT_DOUBLE_EQ(grid.z[500], 4000 * 0.125 * 2.5);  // zeta / 4 (1 + 3 zeta) at one half
}

TEST(Grid, TopLevelIsTheHighestInTheIce) {
  for (const ZSpacing spacing : {ZSpacing::kEqual, ZSpacing::kQuadratic}) {
    const Grid grid = make_grid({0, 1}, {0, 1}, 31, 4000, spacing);
    EXPECT_EQ(grid.top_level(0), 0);
    for (Index k = 1; k < 31; ++k) {
      EXPECT_EQ(grid.top_level(grid.z[k]), k);
      EXPECT_EQ(grid.top_level(grid.z[k] - 0.01), k - 1);
      EXPECT_EQ(grid.top_level(grid.z[k] + 0.01), k);
    }
    EXPECT_EQ(grid.top_level(9000), 30);
  }
}

}  // namespace
}  // namespace pism
