// Transport: advection and diffusion of the scalars in conservative form,
//
//   d(phi)/dt = -div(u phi) + div(D grad phi),
//
// by finite volumes on the cells: the flux through a face is the velocity of the face times phi on its upwind
// side, minus D times the difference of the cells. phi on the face is linear in the upwind cell, with the
// monotonized central slope of van Leer (1977). Second order in space where phi is smooth; first order at
// extrema, where the slope is limited to zero.
#pragma once

#include "array.h"
#include "bricks.h"
#include "flow.h"

namespace s3d {

inline constexpr double kDiffusivity = 6e-4;  ///< D, m^2/s, the same for heat and all species

/// Local: sets `tendency` (no ghosts) to the change of the scalars per second. Their ghosts are filled.
void transport(const Bricks& bricks, const FaceVelocity& velocity, const Array& scalars, Array& tendency);

}  // namespace s3d
