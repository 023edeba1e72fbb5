#include "panels.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gcrm {
namespace {

constexpr int kDirections[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

/// The triangle between directions m and m + 1: its lowest corner, relative to the cell, and whether it is
/// the triangle with (0, +1) of that corner.
struct Corner {
  int i, j;
  bool upper;
};
constexpr Corner kCorners[6] = {{0, 0, false},  {0, 0, true},    {-1, 0, false},
                                {-1, -1, true}, {-1, -1, false}, {0, -1, true}};

/// The direction that a pentagon, at (0, 0) of its panel, lacks: its neighbour there is that of the next.
constexpr int kMissing = 4;

bool is_northern(int panel) { return panel < 5; }
int northern(int p) { return (p + 5) % 5; }
int southern(int p) { return 5 + (p + 5) % 5; }

}  // namespace

Panels::Panels(int level) : level_(level), side_(Index{1} << std::clamp(level, 0, kMaxLevel)) {
  if (level < 0 || level > kMaxLevel) {
    throw std::invalid_argument("level " + std::to_string(level) + " of the grid: expected 0 to " +
                                std::to_string(kMaxLevel));
  }
}

bool Panels::is_pole(const Place& at) const {
  return is_northern(at.panel) ? at.i == 0 && at.j == side_ : at.i == side_ && at.j == 0;
}

Panels::Side Panels::side_beyond(const Place& at) const {
  if (at.i < 0) return Side::kLowI;
  if (at.i >= side_) return Side::kHighI;
  if (at.j < 0) return Side::kLowJ;
  return at.j >= side_ ? Side::kHighJ : Side::kInside;
}

/// The same point in the coordinates of the panel beyond a side. Edges between a northern and a southern
/// panel keep their directions; those that end in a pole turn by 60 degrees.
Place Panels::carry(const Place& at, Side side) const {
  const Index n = side_, i = at.i, j = at.j;
  if (is_northern(at.panel)) {
    const int p = at.panel;
    switch (side) {
      case Side::kLowI:
        return {northern(p - 1), i - j + n, i + n};
      case Side::kHighI:
        return {southern(p), i - n, j};
      case Side::kLowJ:
        return {southern(p - 1), i, j + n};
      case Side::kHighJ:
        return {northern(p + 1), j - n, j - i};
      case Side::kInside:
        return at;
    }
  }
  const int p = at.panel - 5;
  switch (side) {
    case Side::kLowI:
      return {northern(p), i + n, j};
    case Side::kHighI:
      return {southern(p + 1), i - j, i - n};
    case Side::kLowJ:
      return {southern(p - 1), j + n, j - i + n};
    case Side::kHighJ:
      return {northern(p + 1), i, j - n};
    case Side::kInside:
      return at;
  }
  return at;
}

Index Panels::cell(const Place& place) const {
  Place at = place;
  for (Side side = Side::kInside;; at = carry(at, side)) {
    if (is_pole(at)) return is_northern(at.panel) ? north_pole() : south_pole();
    side = side_beyond(at);
    if (side == Side::kInside) return at.panel * cells_per_panel() + morton(at.i, at.j);
  }
}

Place Panels::place(Index cell) const {
  if (cell == north_pole()) return {0, 0, side_};
  if (cell == south_pole()) return {5, side_, 0};
  const Index within = cell % cells_per_panel();
  return {static_cast<int>(cell / cells_per_panel()), morton_i(within), morton_j(within)};
}

/// Moves all three corners of the triangle until its lowest one lies in a panel; the triangle turns with the
/// panels.
Index Panels::node(Place base, bool upper) const {
  for (;;) {
    const Side side = side_beyond(base);
    if (side == Side::kInside) break;
    const Place a = carry(base, side), b = carry({base.panel, base.i + 1, base.j + 1}, side);
    const Place c = carry({base.panel, base.i + (upper ? 0 : 1), base.j + (upper ? 1 : 0)}, side);
    base = {a.panel, std::min({a.i, b.i, c.i}), std::min({a.j, b.j, c.j})};
    const Place above{base.panel, base.i, base.j + 1};
    upper = a == above || b == above || c == above;
  }
  return 2 * (base.panel * cells_per_panel() + morton(base.i, base.j)) + (upper ? 1 : 0);
}

Ring Panels::pole_ring(bool north) const {
  Ring ring;
  ring.size = 5;
  for (int m = 0; m < 5; ++m) {
    if (north) {
      ring.cells[m] = cell({m, 0, side_ - 1});
      ring.nodes[m] = node({m, 0, side_ - 1}, true);
    } else {  // seen from outside, counterclockwise is westward
      ring.cells[m] = cell({southern(4 - m), side_ - 1, 0});
      ring.nodes[m] = node({southern(3 - m), side_ - 1, 0}, false);
    }
  }
  return ring;
}

Ring Panels::ring(Index cell_number) const {
  if (cell_number >= num_panel_cells()) return pole_ring(cell_number == north_pole());
  const Place at = place(cell_number);
  const bool is_pentagon = at.i == 0 && at.j == 0;
  Ring ring;
  for (int m = 0; m < 6; ++m) {
    if (is_pentagon && m == kMissing) continue;
    ring.cells[ring.size] = cell({at.panel, at.i + kDirections[m][0], at.j + kDirections[m][1]});
    ring.nodes[ring.size] = node({at.panel, at.i + kCorners[m].i, at.j + kCorners[m].j}, kCorners[m].upper);
    ++ring.size;
  }
  return ring;
}

}  // namespace gcrm
