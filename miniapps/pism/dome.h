// Dome: analytic ice sheets on flat land, for runs without an input file.
//
//   halfar  the similarity dome of Halfar (1983, J. Geophys. Res. 88), which spreads under its own weight;
//           default size: test B of Bueler et al. (2005, J. Glaciol. 51). Its later shapes are known:
//           halfar.h.
//   vialov  Vialov's (1958) profile of a steady sheet under constant accumulation, round; default size: two
//           thirds of the way to the edge of the grid, as high as 0.1 m/a makes it.
#pragma once

#include "grid.h"
#include "state.h"

namespace pism {

enum class DomeKind { kHalfar, kVialov };

struct Dome {
  DomeKind kind = DomeKind::kHalfar;
  double height = 3600;   ///< m, at the centre
  double radius = 750e3;  ///< m, of the margin

  /// Ice thickness [m] at distance `r` m from the centre.
  [[nodiscard]] double thickness(double r) const;
};

/// Height [m] of a round steady sheet of `radius` m that gains `balance` m a^-1, with A = `softness`
/// Pa^-3 a^-1 throughout: flux and accumulation agree in Vialov's profile.
double vialov_height(double radius, double balance, double softness);

/// Sets topg (0) and thk of the own columns; the centre is that of the grid. Local.
void fill_dome(const Grid& grid, const Dome& dome, State& state);

/// Distance [m] of an own column from the centre of the grid.
double distance_from_centre(const Grid& grid, Index i, Index j);

}  // namespace pism
