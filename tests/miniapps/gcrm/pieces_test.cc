#include "pieces.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gcrm {
namespace {

TEST(Pieces, AreContiguousAndNearlyEqual) {
  for (const int ranks : {1, 2, 7, 100, 642}) {
    const Pieces pieces(642, ranks);
    Index next = 0;
    for (int r = 0; r < ranks; ++r) {
      const Stretch own = pieces.of(r);
      EXPECT_EQ(own.first, next);
      EXPECT_GE(own.size(), 642 / ranks);
      EXPECT_LE(own.size(), 642 / ranks + 1);
      for (Index cell = own.first; cell < own.last; ++cell) EXPECT_EQ(pieces.owner(cell), r);
      next = own.last;
    }
    EXPECT_EQ(next, 642);
  }
}

TEST(Pieces, RanksWithoutCellsAreRefused) { EXPECT_THROW(Pieces(42, 43), std::invalid_argument); }

TEST(PanelBoxes, HoldEachCellOfTheStretchOnceInItsOrder) {
  const Panels panels(3);
  for (const Stretch cells : {Stretch{0, 642}, Stretch{5, 6}, Stretch{1, 300}, Stretch{63, 65},
                              Stretch{639, 642}, Stretch{640, 642}, Stretch{13, 13}}) {
    Index next = cells.first;
    for (const PanelBox& box : panel_boxes(panels, cells)) {
      EXPECT_EQ(box.first, next);
      EXPECT_EQ(panels.cell(box.corner), box.first);
      for (Index j = 0; j < box.high; ++j) {
        for (Index i = 0; i < box.wide; ++i) {
          const Index cell = panels.cell({box.corner.panel, box.corner.i + i, box.corner.j + j});
          EXPECT_GE(cell, box.first);
          EXPECT_LT(cell, box.first + box.size());
          EXPECT_EQ(cell - box.first, morton(i, j));
        }
      }
      next += box.size();
    }
    EXPECT_EQ(next, std::min<Index>(std::max(cells.first, cells.last), std::max<Index>(cells.first, 640)));
  }
}

TEST(PanelBoxes, AreFew) {
  const Panels panels(10);
  EXPECT_EQ(panel_boxes(panels, {0, panels.num_cells()}).size(), 10U);  // whole panels
  EXPECT_LE(panel_boxes(panels, {1, panels.cells_per_panel() - 1}).size(), 4U * 10);
}

}  // namespace
}  // namespace gcrm
