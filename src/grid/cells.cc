#include "grid/cells.h"

namespace esker {

std::vector<Lattice> samples_of_cells(const Lattice& cells, int rank) {
  std::vector<Lattice> lattices{cells};
  lattices.front().rank = rank;
  for (int a = 0; a < rank; ++a) {
    const bool are_neighbors = cells.stride[a] == 1 || cells.count[a] == 1;
    std::vector<Lattice> placed;
    for (Lattice samples : lattices) {
      samples.origin[a] *= kCellEdge;
      samples.stride[a] = are_neighbors ? 1 : cells.stride[a] * kCellEdge;
      samples.count[a] *= are_neighbors ? kCellEdge : 1;
      for (int place = 0; place < (are_neighbors ? 1 : kCellEdge); ++place, ++samples.origin[a])
        placed.push_back(samples);
    }
    lattices = std::move(placed);
  }
  return lattices;
}

}  // namespace esker
