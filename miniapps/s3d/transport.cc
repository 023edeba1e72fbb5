#include "transport.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace s3d {
namespace {

/// Half of the limited slope between the differences to the cells below and above.
inline double half_slope(double below, double above) {
  const double size = std::min(0.25 * std::abs(below + above), std::min(std::abs(below), std::abs(above)));
  return 0.5 * (std::copysign(size, below) + std::copysign(size, above));
}

/// Fluxes through `n` faces. Face i is between cells[i - stride] and cells[i].
void fluxes(const double* cells, Index stride, const double* velocity, double diffusion, Index n,
            double* flux) {
  const double *far_below = cells - 2 * stride, *below = cells - stride, *far_above = cells + stride;
  for (Index i = 0; i < n; ++i) {
    const double jump = cells[i] - below[i];
    const double from_below = below[i] + half_slope(below[i] - far_below[i], jump);
    const double from_above = cells[i] - half_slope(jump, far_above[i] - cells[i]);
    flux[i] = velocity[i] * (velocity[i] > 0 ? from_below : from_above) - diffusion * jump;
  }
}

void add_along_x(const Bricks& bricks, const Array& velocity, const Array& scalars, int s, Array& tendency) {
  const Index n = scalars.cells(0);
  const double per_cell = 1 / bricks.spacing[0];
  std::vector<double> flux(n + 1);
  for_rows(tendency, [&](Index j, Index k) {
    fluxes(scalars.row(s, j, k), 1, velocity.row(0, j, k), kDiffusivity * per_cell, n + 1, flux.data());
    double* out = tendency.row(s, j, k);
    for (Index i = 0; i < n; ++i) out[i] += (flux[i] - flux[i + 1]) * per_cell;
  });
}

/// Along y or z: row by row of faces. Each cell first receives what enters at its lower face.
void add_across_rows(int axis, const Bricks& bricks, const Array& velocity, const Array& scalars, int s,
                     Array& tendency) {
  const Index n = scalars.cells(0);
  const double per_cell = 1 / bricks.spacing[axis];
  std::vector<double> flux(n);
  for_rows(velocity, [&](Index j, Index k) {
    fluxes(scalars.row(s, j, k), scalars.stride(axis), velocity.row(0, j, k), kDiffusivity * per_cell, n,
           flux.data());
    const auto add_to = [&](double* out, double factor) {
      for (Index i = 0; i < n; ++i) out[i] += flux[i] * factor;
    };
    const Index face = axis == 1 ? j : k;
    if (face > 0) add_to(tendency.row(s, axis == 1 ? j - 1 : j, axis == 2 ? k - 1 : k), -per_cell);
    if (face < scalars.cells(axis)) add_to(tendency.row(s, j, k), per_cell);
  });
}

}  // namespace

void transport(const Bricks& bricks, const FaceVelocity& velocity, const Array& scalars, Array& tendency) {
  std::fill(tendency.values().begin(), tendency.values().end(), 0.0);
  for (int s = 0; s < static_cast<int>(scalars.components()); ++s) {
    add_along_x(bricks, velocity[0], scalars, s, tendency);
    for (const int axis : {1, 2}) add_across_rows(axis, bricks, velocity[axis], scalars, s, tendency);
  }
}

}  // namespace s3d
