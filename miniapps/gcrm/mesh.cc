#include "mesh.h"

#include <algorithm>

#include "sphere.h"

namespace gcrm {
namespace {

/// Local cells of a rank by number.
class LocalCells {
 public:
  explicit LocalCells(const Border& border) : border_(border) {}

  [[nodiscard]] Index size() const { return border_.own.size() + static_cast<Index>(border_.ghosts.size()); }
  [[nodiscard]] Index number(Index local) const {
    const Index n = border_.own.size();
    return local < n ? border_.own.first + local : border_.ghosts[local - n];
  }
  [[nodiscard]] Index local(Index number) const {
    if (number >= border_.own.first && number < border_.own.last) return number - border_.own.first;
    const auto found = std::lower_bound(border_.ghosts.begin(), border_.ghosts.end(), number);
    return border_.own.size() + (found - border_.ghosts.begin());
  }

 private:
  const Border& border_;
};

/// The neighbors and nodes of a cell, in the order of its ring.
struct Surroundings {
  Ring ring;
  std::array<Index, 6> local{};  ///< neighbours
  std::array<Vec3, 6> nodes{};   ///< node m lies between neighbours m and m + 1
  [[nodiscard]] int before(int m) const { return (m + ring.size - 1) % ring.size; }
  [[nodiscard]] int after(int m) const { return (m + 1) % ring.size; }
};

/// The node of three cells, counterclockwise, begun with the lowest number: the same bits for each of them.
Vec3 node_between(const Mesh& mesh, std::array<std::pair<Index, Index>, 3> number_and_local) {
  auto& cells = number_and_local;
  std::rotate(cells.begin(), std::min_element(cells.begin(), cells.end()), cells.end());
  return circumcentre(mesh.centres[cells[0].second], mesh.centres[cells[1].second],
                      mesh.centres[cells[2].second]);
}

Surroundings surroundings(const Panels& panels, const LocalCells& cells, const Mesh& mesh, Index own) {
  Surroundings s;
  const Index number = cells.number(own);
  s.ring = panels.ring(number);
  for (int m = 0; m < s.ring.size; ++m) s.local[m] = cells.local(s.ring.cells[m]);
  for (int m = 0; m < s.ring.size; ++m) {
    const int next = s.after(m);
    s.nodes[m] = node_between(mesh, {std::pair{number, own}, std::pair{s.ring.cells[m], s.local[m]},
                                     std::pair{s.ring.cells[next], s.local[next]}});
  }
  return s;
}

/// Area and centroid of a cell, from the triangles between its centre and its edges.
void measure(Mesh& mesh, const Surroundings& s, Index own) {
  const Vec3& centre = mesh.centres[own];
  double area = 0;
  Vec3 moment;
  for (int m = 0; m < s.ring.size; ++m) {
    const Vec3 &from = s.nodes[s.before(m)], &to = s.nodes[m];
    const double part = triangle_area(centre, from, to);
    area += part;
    moment = moment + part * unit(centre + from + to);
  }
  mesh.areas.push_back(area);
  mesh.middles[own] = unit(moment);
}

void add_cell(Mesh& mesh, const Panels& panels, const Surroundings& s, Index own) {
  measure(mesh, s, own);
  mesh.first_edge.push_back(static_cast<Index>(mesh.edges.size()));
  for (int m = 0; m < s.ring.size; ++m) {
    const Vec3 &from = s.nodes[s.before(m)], &to = s.nodes[m];
    mesh.edges.push_back({static_cast<std::int32_t>(s.local[m]), to - from, midpoint(from, to), {}});
    mesh.face_nodes.push_back(s.ring.nodes[m]);
  }
  if (s.ring.size == 5) mesh.face_nodes.push_back(-1);
  if (mesh.own.first + own < panels.num_panel_cells()) {
    mesh.nodes.push_back(s.nodes[0]);  // the corners that are numbered by this cell (panels.h)
    mesh.nodes.push_back(s.nodes[1]);
  }
}

/// Collective.
void fetch_middles(Mesh& mesh, const Halo& halo) {
  std::vector<double> values(3 * mesh.middles.size());
  for (Index c = 0; c < mesh.num_own(); ++c) {
    values[3 * c] = mesh.middles[c].x;
    values[3 * c + 1] = mesh.middles[c].y;
    values[3 * c + 2] = mesh.middles[c].z;
  }
  halo.exchange(values, 3);
  for (Index c = 0; c < mesh.num_local(); ++c) {
    mesh.middles[c] = {values[3 * c], values[3 * c + 1], values[3 * c + 2]};
  }
}

/// Least squares in the tangent plane at the centroid: exact for functions that are linear there.
void set_slopes(Mesh& mesh, Index own) {
  const Vec3& here = mesh.middles[own];
  const Vec3 east = unit(tangent(mesh.edges[mesh.first_edge[own]].middle - here, here));
  const Vec3 north = cross(here, east);
  double xx = 0, xy = 0, yy = 0;
  const auto offset = [&](const Edge& e) { return mesh.middles[e.beyond] - here; };
  for (Index e = mesh.first_edge[own]; e < mesh.first_edge[own + 1]; ++e) {
    const double x = dot(offset(mesh.edges[e]), east), y = dot(offset(mesh.edges[e]), north);
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double determinant = xx * yy - xy * xy;
  for (Index e = mesh.first_edge[own]; e < mesh.first_edge[own + 1]; ++e) {
    const double x = dot(offset(mesh.edges[e]), east), y = dot(offset(mesh.edges[e]), north);
    mesh.edges[e].slope =
        ((yy * x - xy * y) / determinant) * east + ((xx * y - xy * x) / determinant) * north;
  }
}

}  // namespace

Mesh make_mesh(const Panels& panels, const Border& border, const Halo& halo) {
  const LocalCells cells(border);
  Mesh mesh;
  mesh.own = border.own;
  mesh.centres.reserve(cells.size());
  for (Index c = 0; c < cells.size(); ++c) {
    mesh.centres.push_back(cell_centre(panels, panels.place(cells.number(c))));
  }
  mesh.middles.resize(cells.size());
  mesh.edges.reserve(6 * border.own.size());
  for (Index own = 0; own < mesh.num_own(); ++own) {
    add_cell(mesh, panels, surroundings(panels, cells, mesh, own), own);
  }
  mesh.first_edge.push_back(static_cast<Index>(mesh.edges.size()));
  fetch_middles(mesh, halo);
  for (Index own = 0; own < mesh.num_own(); ++own) set_slopes(mesh, own);
  return mesh;
}

}  // namespace gcrm
