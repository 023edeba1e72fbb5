// Mesh: the own cells of a rank with their edges, and their neighbor cells. Unit sphere; areas in sr.
//
// Cells are the Voronoi regions of the centres. Local cells are numbered from 0: own cells in their order,
// then ghosts (halo.h). Two ranks compute the same bits for the same cell, edge or node.
#pragma once

#include <cstdint>
#include <vector>

#include "halo.h"
#include "vec3.h"

namespace gcrm {

/// An edge of an own cell, as seen from it.
struct Edge {
  std::int32_t beyond = 0;  ///< local cell on the other side
  Vec3 along;               ///< from one node to the next, counterclockwise around the cell
  Vec3 middle;
  Vec3 slope;  ///< the cell's gradient is the sum over its edges of slope * (value beyond - own value)
};

struct Mesh {
  Stretch own;                    ///< cells
  std::vector<Vec3> centres;      ///< of local cells
  std::vector<Vec3> middles;      ///< centroids of local cells, where cell means are values
  std::vector<double> areas;      ///< of own cells
  std::vector<Index> first_edge;  ///< [own cell]; one more entry ends the last
  std::vector<Edge> edges;        ///< cell by cell, counterclockwise
  std::vector<Index> face_nodes;  ///< [own cell * 6 + m] numbers of its corners; -1 in the last of a pentagon
  std::vector<Vec3> nodes;        ///< nodes 2 c and 2 c + 1 of each own cell c, except poles

  [[nodiscard]] Index num_own() const { return own.size(); }
  [[nodiscard]] Index num_local() const { return static_cast<Index>(centres.size()); }
};

/// Collective: centroids of ghosts come from their owners. Memory: some 700 bytes per own cell.
Mesh make_mesh(const Panels& panels, const Border& border, const Halo& halo);

}  // namespace gcrm
