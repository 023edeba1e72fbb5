#include "panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace gcrm {
namespace {

class PanelsOfLevel : public ::testing::TestWithParam<int> {
 protected:
  Panels panels_{GetParam()};
};

TEST_P(PanelsOfLevel, EachCellOccursOnce) {
  std::set<Index> seen;
  for (int p = 0; p < kNumPanels; ++p) {
    for (Index j = 0; j < panels_.side(); ++j) {
      for (Index i = 0; i < panels_.side(); ++i) {
        const Index cell = panels_.cell({p, i, j});
        EXPECT_TRUE(seen.insert(cell).second);
        EXPECT_EQ(panels_.place(cell), (Place{p, i, j}));
      }
    }
  }
  for (const Index pole : {panels_.north_pole(), panels_.south_pole()}) {
    EXPECT_TRUE(seen.insert(pole).second);
    EXPECT_EQ(panels_.cell(panels_.place(pole)), pole);
  }
  EXPECT_EQ(static_cast<Index>(seen.size()), panels_.num_cells());
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), panels_.num_cells() - 1);
  EXPECT_EQ(panels_.num_cells(), 10 * panels_.side() * panels_.side() + 2);
}

TEST_P(PanelsOfLevel, NeighboursAreMutualAndTwelveCellsHaveFive) {
  Index pentagons = 0;
  for (Index cell = 0; cell < panels_.num_cells(); ++cell) {
    const Ring ring = panels_.ring(cell);
    pentagons += ring.size == 5;
    std::set<Index> unique(ring.cells.begin(), ring.cells.begin() + ring.size);
    EXPECT_EQ(static_cast<int>(unique.size()), ring.size) << "cell " << cell;
    EXPECT_FALSE(unique.contains(cell));
    for (const Index neighbor : unique) {
      const Ring other = panels_.ring(neighbor);
      EXPECT_EQ(std::count(other.cells.begin(), other.cells.begin() + other.size, cell), 1)
          << cell << " next to " << neighbor;
    }
  }
  EXPECT_EQ(pentagons, 12);
}

// The node between two neighbours of a cell is a corner of these three cells, and of no other.
TEST_P(PanelsOfLevel, EachNodeIsTheCornerOfItsThreeCells) {
  std::map<Index, std::multiset<Index>> cells_of_node;
  std::map<Index, std::set<std::set<Index>>> claimed;
  for (Index cell = 0; cell < panels_.num_cells(); ++cell) {
    const Ring ring = panels_.ring(cell);
    for (int m = 0; m < ring.size; ++m) {
      cells_of_node[ring.nodes[m]].insert(cell);
      claimed[ring.nodes[m]].insert({cell, ring.cells[m], ring.cells[(m + 1) % ring.size]});
    }
  }
  EXPECT_EQ(static_cast<Index>(cells_of_node.size()), panels_.num_nodes());
  for (const auto& [node, cells] : cells_of_node) {
    EXPECT_GE(node, 0);
    EXPECT_LT(node, panels_.num_nodes());
    EXPECT_EQ(cells.size(), 3U) << "node " << node;
    ASSERT_EQ(claimed[node].size(), 1U) << "node " << node;
    EXPECT_EQ(std::set<Index>(cells.begin(), cells.end()), *claimed[node].begin());
  }
}

TEST_P(PanelsOfLevel, NodesAreNumberedByTheirLowestCorner) {
  for (Index cell = 0; cell < panels_.num_panel_cells(); ++cell) {
    const Ring ring = panels_.ring(cell);
    EXPECT_EQ(ring.nodes[0], 2 * cell);
    EXPECT_EQ(ring.nodes[1], 2 * cell + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, PanelsOfLevel, ::testing::Values(0, 1, 2, 3, 5));

TEST(Panels, Level10HasTheCellsOfAGlobalCloudResolvingModel) {
  const Panels panels(10);
  EXPECT_EQ(panels.num_cells(), 10485762);
  const Ring ring = panels.ring(10485700);
  for (int m = 0; m < ring.size; ++m) {
    const Ring other = panels.ring(ring.cells[m]);
    EXPECT_EQ(std::count(other.cells.begin(), other.cells.begin() + other.size, 10485700), 1);
  }
}

// A level is every fourth cell of the next one.
TEST(Panels, CoarserLevelsAreEveryFourthCell) {
  const Panels coarse(3), fine(4);
  for (Index cell = 0; cell < coarse.num_panel_cells(); ++cell) {
    const Place at = coarse.place(cell);
    EXPECT_EQ(fine.cell({at.panel, 2 * at.i, 2 * at.j}), 4 * cell);
  }
}

TEST(Panels, OtherLevelsAreRefused) {
  EXPECT_THROW(Panels(-1), std::invalid_argument);
  EXPECT_THROW(Panels(13), std::invalid_argument);
}

}  // namespace
}  // namespace gcrm
