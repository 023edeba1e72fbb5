// Halfar: the exact solution that the isothermal model is verified with.
//
// Halfar (1983, J. Geophys. Res. 88, 6043): isothermal ice on flat land, without surface balance, spreads in
// a shape that stays similar to itself. Bueler et al. (2005, J. Glaciol. 51, 291), test B: n = 3,
// H0 = 3600 m, R0 = 750 km, A = 1e-16 Pa^-3 a^-1, which give t0 = 422.45 a.
#pragma once

#include <mpi.h>

#include "dome.h"

namespace pism {

struct Halfar {
  double softness = 1e-16;  ///< A, Pa^-3 a^-1
  Dome initial;             ///< the shape at time t0; of kind kHalfar

  /// Age t0 [a] of the dome whose shape is `initial`: what makes H0 and R0 belong together.
  [[nodiscard]] double initial_age() const;
  /// The shape `years` >= 0 after the initial one: (t/t0)^(-1/9) as high, (t/t0)^(1/18) as wide.
  [[nodiscard]] Dome at(double years) const;
};

/// The error of a computed thickness.
struct ThicknessError {
  double max = 0;     ///< m; at the margin, whose slope is infinite
  double mean = 0;    ///< m; of |error| over the nodes where either has ice
  double centre = 0;  ///< m; largest of |error| at the nodes nearest to the centre
};

/// Collective, the same on all ranks for any number of them: `thk` against `exact`.
ThicknessError thickness_error(MPI_Comm comm, const Grid& grid, const Array<double>& thk, const Dome& exact);

}  // namespace pism
