#include "variables.h"

#include <algorithm>

#include "jet.h"
#include "mixture.h"

namespace s3d {
namespace {

constexpr double kPressure = 101325, kDensity = 0.4;  // P_0 [Pa], rho [kg/m^3]

void set_velocity(const FaceVelocity& faces, Array& velocity) {
  for (int axis = 0; axis < 3; ++axis) {
    const Array& normal = faces[axis];
    for_rows(velocity, [&](Index j, Index k) {
      const double* below = normal.row(0, j, k);
      const double* above = below + normal.stride(axis);
      double* out = velocity.row(axis, j, k);
      for (Index i = 0; i < velocity.cells(0); ++i) out[i] = 0.5 * (below[i] + above[i]);
    });
  }
}

void set_pressure(const Array& velocity, Array& pressure) {
  for_rows(pressure, [&](Index j, Index k) {
    const double *u = velocity.row(0, j, k), *v = velocity.row(1, j, k), *w = velocity.row(2, j, k);
    double* out = pressure.row(0, j, k);
    for (Index i = 0; i < pressure.cells(0); ++i) {
      const double square = u[i] * u[i] + v[i] * v[i] + w[i] * w[i];
      out[i] = kPressure + 0.5 * kDensity * (kJetSpeed * kJetSpeed - square);
    }
  });
}

void set_species(const Array& scalars, Array& species) {
  for_rows(species, [&](Index j, Index k) {
    for (Index i = 0; i < species.cells(0); ++i) {
      Values v;
      for (int s = 0; s < kNumScalars; ++s) v[s] = scalars.row(s, j, k)[i];
      const auto y = species_of(v);
      for (int s = 0; s < kNumSpecies; ++s) species.row(s, j, k)[i] = y[s];
    }
  });
}

}  // namespace

Variables::Variables(const Bricks& bricks)
    : pressure(bricks.own.extents(), 1, 0),
      velocity(bricks.own.extents(), 3, 0),
      species(bricks.own.extents(), kNumSpecies, 0) {}

void Variables::derive(const FaceVelocity& faces, const Array& scalars) {
  set_velocity(faces, velocity);
  set_pressure(velocity, pressure);
  set_species(scalars, species);
}

void restore_species(const Array& species, Array& scalars) {
  for (const auto& [scalar, in_list] : {std::pair{kCO, kCOInList}, {kO2, kO2InList}, {kCO2, kCO2InList}}) {
    for_rows(species, [&, to = scalar, from = in_list](Index j, Index k) {
      std::copy_n(species.row(from, j, k), species.cells(0), scalars.row(to, j, k));
    });
  }
}

}  // namespace s3d
