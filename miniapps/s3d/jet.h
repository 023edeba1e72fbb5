// Jet: a plane jet of cold fuel in a hot coflow, which burns some jet widths downstream.
//
//   u = U_coflow + (U_jet - U_coflow) / 2 (tanh((y + H/2) / d) - tanh((y - H/2) / d)), plus vortices:
//
// waves of the potential that travel along x with the mean of both speeds. They grow from zero at the inflow,
// decay away from the jet and vanish at the walls. Waves of A_z that are even in y move the jet sideways, odd
// ones widen and narrow it; those with a wave number in z make it three-dimensional.
//
// At the inflow the streams are mixed over the shear layers, and do not burn. At the start the layers have
// widened by diffusion along x, and have burnt downstream of a front that is uneven in z.
#pragma once

#include "problem.h"

namespace s3d {

inline constexpr double kJetWidth = 2e-3;                  ///< H, m
inline constexpr double kJetSpeed = 30, kCoflowSpeed = 8;  ///< m/s

Problem jet();

}  // namespace s3d
