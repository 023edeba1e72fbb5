#include "halo.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gcrm {
namespace {

// A rank of a large grid holds its part and the cells around it, whose number grows with the length of the
// border.
TEST(Border, OfALargeGridIsShort) {
  const Panels panels(10);
  for (const int n_ranks : {1000, 4096}) {
    const Pieces pieces(panels.num_cells(), n_ranks);
    for (const int rank : {0, n_ranks / 3, n_ranks / 2, n_ranks - 1}) {
      const Border border = find_border(panels, pieces, rank);
      const auto cells = static_cast<double>(border.own.size());
      EXPECT_GT(border.ghosts.size(), 2 * std::sqrt(cells));
      EXPECT_LT(border.ghosts.size(), 12 * std::sqrt(cells)) << "rank " << rank << " of " << n_ranks;
    }
  }
}

TEST(Border, SentCellsAreTheGhostsOfOthers) {
  const Panels panels(3);
  const Pieces pieces(panels.num_cells(), 5);
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      std::vector<Index> sent, needed;
      for (const auto& [rank, cell] : find_border(panels, pieces, a).wanted) {
        if (rank == b) sent.push_back(cell);
      }
      for (const Index ghost : find_border(panels, pieces, b).ghosts) {
        if (pieces.owner(ghost) == a) needed.push_back(ghost);
      }
      EXPECT_EQ(sent, needed) << "from " << a << " to " << b;
    }
  }
}

}  // namespace
}  // namespace gcrm
