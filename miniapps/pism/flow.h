// Flow: shallow-ice velocities and the softness of each column, from geometry and temperature.
//
// u(z) = -2 (rho g)^n |grad h|^(n-1) grad h * integral_0^z A(T) (H - z')^n dz'  (Hutter 1983; no sliding).
// The integral takes A as constant between levels and the polynomial exactly, so that it is right for
// ice thinner than a level, too.
#pragma once

#include "array.h"
#include "rheology.h"
#include "state.h"

namespace pism {

struct Slope {
  double x = 0, y = 0;
};

/// Gradient of the surface at an own node, from its four neighbours. Towards higher ground without ice
/// the surface counts as level: a rock face does not press on the ice.
Slope surface_slope(const Grid& grid, const State& state, Index i, Index j);

struct ColumnFlow {
  double surface = 0;   ///< integral_0^H A (H - z)^n dz, Pa^-3 a^-1 m^(n+1)
  double softness = 0;  ///< (n + 2) / H^(n+2) integral_0^H A (H - z)^(n+1) dz, Pa^-3 a^-1
};

/// Integrates one column of thickness `thk` > 0 with temperatures `temp` at the levels and `surface_temp`
/// on top; `integral` takes integral_0^z A (H - z')^n dz' at the levels within the ice.
ColumnFlow integrate_column(const Grid& grid, const FlowLaw& law, double thk, const double* temp,
                            double surface_temp, double* integral);

/// Sets uvel, vvel, velsurf_mag and softness of the own columns. Local. Returns the largest |u|/dx + |v|/dy
/// [a^-1] of this rank, whose inverse bounds an explicit step of horizontal advection.
double update_flow(const Grid& grid, const FlowLaw& law, State& state);

}  // namespace pism
