// State: every field of the model on this rank.
#pragma once

#include <algorithm>

#include "array.h"

namespace pism {

struct State {
  explicit State(const Grid& grid)
      : latitude(grid),
        topg(grid),
        thk(grid),
        usurf(grid),
        surface_temp(grid),
        surface_balance(grid),
        softness(grid),
        velsurf_mag(grid),
        temp(grid, grid.Mz),
        uvel(grid, grid.Mz),
        vvel(grid, grid.Mz) {}

  double time = 0;                ///< a
  Array<double> latitude;         ///< degrees north
  Array<double> topg;             ///< bed elevation, m
  Array<double> thk;              ///< ice thickness, m
  Array<double> usurf;            ///< elevation of the ice or land surface, 0 on open sea, m
  Array<double> surface_temp;     ///< mean annual temperature of the surface, K
  Array<double> surface_balance;  ///< m ice a^-1
  Array<double> softness;     ///< vertical mean of the rate factor, weighted as the ice flux is, Pa^-3 a^-1
  Array<double> velsurf_mag;  ///< horizontal speed at the surface, m a^-1
  Array<double> temp;         ///< K; above the ice: surface_temp
  Array<double> uvel, vvel;   ///< horizontal velocity, m a^-1; above the ice: 0
};

/// Elevation [m] of the surface over bed `topg` with grounded ice of thickness `thk`; the sea is at 0.
/// Grounded ice is never below sea level, so the larger of the two elevations is right everywhere.
inline double surface_elevation(double topg, double thk) {
  return std::max(topg + thk, topg < 0 ? 0.0 : topg);
}

}  // namespace pism
