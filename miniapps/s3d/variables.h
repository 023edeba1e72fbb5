// Variables: what S3D's checkpoint has in each cell, from the state of the solver.
//
//   T          temperature, K: the state's
//   P          pressure, Pa: P_0 + rho / 2 (U_jet^2 - |u|^2), as along a streamline of a fluid without
//   friction u          velocity at the center, m/s: the mean of the two faces of each axis Y          mass
//   fractions of 11 species (mixture.h)
#pragma once

#include "array.h"
#include "bricks.h"
#include "flow.h"

namespace s3d {

/// The variables that are not in the state as they are. Without ghosts.
struct Variables {
  explicit Variables(const Bricks& bricks);
  /// Local.
  void derive(const FaceVelocity& faces, const Array& scalars);

  Array pressure, velocity, species;
};

/// Local: sets the transported species in `scalars` to those of `species`, bit for bit.
void restore_species(const Array& species, Array& scalars);

}  // namespace s3d
