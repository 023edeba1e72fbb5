// Panels: computes the neighbours of a cell of the geodesic grid by arithmetic; nothing is stored.
//
// The 20 faces of the icosahedron pair into ten rhombi, the panels, of side N = 2^level cells. Panels 0-4
// touch the north pole, 5-9 the south pole. U_p and L_p, p = 0 ... 4, are the icosahedron's vertices on the
// upper ring (72 p degrees east) and the lower one (72 p + 36); corners of the panels, in lattice coordinates
// (i, j):
//
//             (0, 0)   (N, 0)   (N, N)    (0, N)
//   panel p    U_p      L_p      U_p+1    north pole
//   panel 5+p  L_p     south     L_p+1     U_p+1
//
// The shorter diagonal, (0, 0) - (N, N), is the common edge of the two faces, so the six neighbours of a cell
// are (+1, 0), (+1, +1), (0, +1), (-1, 0), (-1, -1), (0, -1), counterclockwise seen from outside. A panel
// owns the cells 0 <= i, j < N. The poles belong to none: that makes 10 N^2 + 2 cells. The twelve cells at
// the icosahedron's vertices are pentagons.
//
// Cells are numbered panel by panel, in each in Morton order; the north and the south pole come last. Nodes
// are the corners of cells, one for each triangle of three neighbouring cells: 2 c is that of cell c with
// (+1, 0) and (+1, +1), 2 c + 1 that with (+1, +1) and (0, +1).
//
// Source: Sadourny, Arakawa and Mintz (1968, Mon. Weather Rev. 96, 351); the rhombi as in Randall, Ringler,
// Heikes, Jones and Baumgardner (2002, Comput. Sci. Eng. 4, 32).
#pragma once

#include <array>

#include "morton.h"

namespace gcrm {

inline constexpr int kNumPanels = 10;
inline constexpr int kMaxLevel = 12;  ///< 168 million cells

/// A lattice point. Coordinates may leave the panel; Panels::settle() converts them.
struct Place {
  int panel = 0;
  Index i = 0, j = 0;
  friend bool operator==(const Place& a, const Place& b) {
    return a.panel == b.panel && a.i == b.i && a.j == b.j;
  }
};

/// Neighbours of a cell, counterclockwise, and its corners: nodes[m] lies between cells[m] and
/// cells[(m + 1) % size].
struct Ring {
  int size = 0;  ///< 6, or 5 for a pentagon
  std::array<Index, 6> cells{}, nodes{};
};

class Panels {
 public:
  /// Throws std::invalid_argument for a level that is not 0 ... kMaxLevel.
  explicit Panels(int level);

  [[nodiscard]] int level() const { return level_; }
  /// Cells along a panel's side, N.
  [[nodiscard]] Index side() const { return side_; }
  [[nodiscard]] Index cells_per_panel() const { return side_ * side_; }
  /// Cells in panels: all but the poles.
  [[nodiscard]] Index num_panel_cells() const { return kNumPanels * cells_per_panel(); }
  [[nodiscard]] Index num_cells() const { return num_panel_cells() + 2; }
  [[nodiscard]] Index num_nodes() const { return 2 * num_panel_cells(); }
  [[nodiscard]] Index north_pole() const { return num_panel_cells(); }
  [[nodiscard]] Index south_pole() const { return num_panel_cells() + 1; }

  /// The number of the cell at a point in a panel, at its edge or up to one cell beyond.
  [[nodiscard]] Index cell(const Place& place) const;
  /// The lattice point of a cell; a pole is a corner of panel 0 or 5.
  [[nodiscard]] Place place(Index cell) const;
  [[nodiscard]] Ring ring(Index cell) const;

 private:
  enum class Side { kInside, kLowI, kHighI, kLowJ, kHighJ };

  [[nodiscard]] bool is_pole(const Place& place) const;
  [[nodiscard]] Side side_beyond(const Place& place) const;
  [[nodiscard]] Place carry(const Place& place, Side side) const;
  [[nodiscard]] Index node(Place base, bool upper) const;
  [[nodiscard]] Ring pole_ring(bool north) const;

  int level_;
  Index side_;
};

}  // namespace gcrm
