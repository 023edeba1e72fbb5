// Cells: the boxes of 4 samples along each axis, from sample 0 on, that cover a grid.
//
// A cell has the index of its lowest sample divided by 4. The last cells of an axis may exceed the grid. Some
// functions also take cells of another edge.
#pragma once

#include <vector>

#include "base/checked.h"
#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"

namespace esker {

inline constexpr int kCellEdge = 4;  ///< samples on each axis

/// Samples of a cell.
inline constexpr Index cell_samples(int rank) { return Index{1} << (2 * rank); }
/// Levels of samples inside a cell: log2(cell_samples(rank)).
inline constexpr int cell_levels(int rank) { return 2 * rank; }

/// The cells that hold samples of `box`, on its first `rank` axes.
inline Box cells_meeting(const Box& box, int rank) {
  Box cells = Box::from_extent(rank, {1, 1, 1, 1, 1});
  for (int a = 0; a < rank; ++a) {
    cells.lo[a] = floor_div(box.lo[a], kCellEdge);
    cells.hi[a] = ceil_div(box.hi[a], kCellEdge);
  }
  return cells;
}

/// The cells whose lowest sample is in `box`; may be empty. Boxes that cover a grid exactly once have cells
/// that cover the grid's cells exactly once.
inline Box cells_begun_in(const Box& box, Index edge = kCellEdge) {
  Box cells = box;
  for (int a = 0; a < box.rank; ++a) {
    cells.lo[a] = ceil_div(box.lo[a], edge);
    cells.hi[a] = ceil_div(box.hi[a], edge);
  }
  return cells;
}

/// The samples of all cells of a box, also those outside the grid.
inline Box samples_of_cells(const Box& cells, Index edge = kCellEdge) {
  Box samples = cells;
  for (int a = 0; a < cells.rank; ++a) {
    samples.lo[a] *= edge;
    samples.hi[a] *= edge;
  }
  return samples;
}

/// The samples of one cell.
inline Box samples_of_cell(const Point& cell, int rank) {
  Box one(rank, cell, cell);
  for (int a = 0; a < rank; ++a) ++one.hi[a];
  return samples_of_cells(one);
}

/// The samples of a lattice of cells on `rank` axes. Each sample is in one of the lattices: an axis with
/// neighboring cells has its samples in one lattice, another axis one place in the cells for each.
std::vector<Lattice> samples_of_cells(const Lattice& cells, int rank);

}  // namespace esker
