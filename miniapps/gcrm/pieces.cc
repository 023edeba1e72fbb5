#include "pieces.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gcrm {

Pieces::Pieces(Index num_cells, int n_ranks) : num_cells_(num_cells), n_ranks_(n_ranks) {
  if (n_ranks > num_cells) {
    throw std::invalid_argument(std::to_string(n_ranks) + " ranks for " + std::to_string(num_cells) +
                                " cells: expected at most one rank per cell");
  }
}

Stretch Pieces::of(int rank) const {
  return {num_cells_ * rank / n_ranks_, num_cells_ * (rank + 1) / n_ranks_};
}

int Pieces::owner(Index cell) const {
  auto rank = static_cast<int>(cell * n_ranks_ / num_cells_);
  while (cell < of(rank).first) --rank;
  while (cell >= of(rank).last) ++rank;
  return rank;
}

std::vector<PanelBox> panel_boxes(const Panels& panels, const Stretch& cells) {
  std::vector<PanelBox> boxes;
  const Index end = std::min(cells.last, panels.num_panel_cells());
  for (Index cell = cells.first; cell < end;) {
    const Index within = cell % panels.cells_per_panel();
    Index wide = 1, high = 1;  // grows by its own size while it stays aligned: first along i, then along j
    for (;;) {
      const Index twice = 2 * wide * high;
      if (within % twice != 0 || cell + twice > end || twice > panels.cells_per_panel()) break;
      if (wide == high) {
        wide *= 2;
      } else {
        high *= 2;
      }
    }
    boxes.push_back({cell, panels.place(cell), wide, high});
    cell += wide * high;
  }
  return boxes;
}

}  // namespace gcrm
