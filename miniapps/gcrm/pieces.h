// Pieces: contiguous stretches of cells, one per rank, and the boxes of a panel that a stretch consists of.
#pragma once

#include <vector>

#include "panels.h"

namespace gcrm {

/// Cells [first, last).
struct Stretch {
  Index first = 0, last = 0;
  [[nodiscard]] Index size() const { return last - first; }
};

/// Cells split into stretches that differ by one cell at most; rank order is cell order.
class Pieces {
 public:
  /// Throws std::invalid_argument if there are more ranks than cells.
  Pieces(Index num_cells, int n_ranks);
  [[nodiscard]] Stretch of(int rank) const;
  [[nodiscard]] int owner(Index cell) const;

 private:
  Index num_cells_;
  int n_ranks_;
};

/// Cells with consecutive numbers that form a box of their panel, `wide` along i and `high` along j.
struct PanelBox {
  Index first = 0;  ///< its lowest cell, at `corner`
  Place corner;
  Index wide = 0, high = 0;
  [[nodiscard]] Index size() const { return wide * high; }
};

/// The fewest boxes that make up the part of a stretch that lies in panels: squares, and rectangles of two.
/// At most some 4 per level and panel; without the poles.
std::vector<PanelBox> panel_boxes(const Panels& panels, const Stretch& cells);

}  // namespace gcrm
