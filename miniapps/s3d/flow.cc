#include "flow.h"

#include <algorithm>

namespace s3d {
namespace {

/// Values at the lower faces of the own cells and the one after the last, or at the centers.
template <class F>
std::vector<double> tabulate(const Bricks& bricks, int axis, bool at_faces, F&& f) {
  std::vector<double> values;
  const Index last = bricks.own.hi[axis] + (at_faces ? 1 : 0);
  for (Index i = bricks.own.lo[axis]; i < last; ++i) {
    values.push_back(f(at_faces ? bricks.face(axis, i) : bricks.center(axis, i)));
  }
  return values;
}

std::vector<double> differences(const std::vector<double>& values, double spacing) {
  std::vector<double> d;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) d.push_back((values[i + 1] - values[i]) / spacing);
  return d;
}

/// Adds sign * x[i] * (y[j] * z[k]) to all values of `faces`.
void add_product(Array& faces, double sign, const std::vector<double>& x, const std::vector<double>& y,
                 const std::vector<double>& z) {
  for_rows(faces, [&](Index j, Index k) {
    const double factor = sign * (y[j] * z[k]);
    double* row = faces.row(0, j, k);
    for (Index i = 0; i < faces.cells(0); ++i) row[i] += x[i] * factor;
  });
}

Array faces_of(const Bricks& bricks, int axis) {
  esker::Point cells = bricks.own.extents();
  ++cells[axis];
  return {cells, 1, 0};
}

}  // namespace

FaceVelocity::FaceVelocity(const Bricks& bricks)
    : faces_{faces_of(bricks, 0), faces_of(bricks, 1), faces_of(bricks, 2)} {}

void FaceVelocity::evaluate(const Flow& flow, const Bricks& bricks, double time) {
  const auto& h = bricks.spacing;
  for (Array& faces : faces_) std::fill(faces.values().begin(), faces.values().end(), 0.0);
  for (const Term& term : flow.potential_z) {  // on edges along z
    const auto x = tabulate(bricks, 0, true, [&](double at) { return term.along_x(at, time); });
    const auto y = tabulate(bricks, 1, true, term.along_y), z = tabulate(bricks, 2, false, term.along_z);
    add_product(faces_[0], +1, x, differences(y, h[1]), z);
    add_product(faces_[1], -1, differences(x, h[0]), y, z);
  }
  for (const Term& term : flow.potential_y) {  // on edges along y
    const auto x = tabulate(bricks, 0, true, [&](double at) { return term.along_x(at, time); });
    const auto y = tabulate(bricks, 1, false, term.along_y), z = tabulate(bricks, 2, true, term.along_z);
    add_product(faces_[0], -1, x, y, differences(z, h[2]));
    add_product(faces_[2], +1, differences(x, h[0]), y, z);
  }
}

}  // namespace s3d
