// Energy: the temperature of each column.
//
// dT/dt + u dT/dx + v dT/dy + w dT/dz = kappa d2T/dz2 + strain heating / (rho c), with z the height above
// the bed: derivatives along x and y are taken along the levels, and w is relative to them, so that
// du/dx + dv/dy + dw/dz = 0 holds unchanged. Vertical terms are implicit, horizontal advection is
// explicit and upwind. Geothermal heat enters at the base; temperature stops at the pressure melting
// point (the heat beyond it would melt ice, and is dropped). Source: PISM's TemperatureModel.
#pragma once

#include <vector>

#include "array.h"
#include "rheology.h"
#include "state.h"
#include "tridiagonal.h"

namespace pism {

/// One column for one implicit step: levels 0 ... top, of which the last holds the surface temperature.
struct ColumnProblem {
  Index top = 0;                        ///< at least 1
  const double* dz = nullptr;           ///< dz[k] from level k to k + 1, m; top values
  double years = 0;                     ///< length of the step
  double surface_temp = 0;              ///< K
  double basal_flux = kGeothermalFlux;  ///< J m^-2 a^-1 into the ice
  const double* w = nullptr;            ///< vertical velocity at the levels, m a^-1
  const double* source = nullptr;       ///< K a^-1: strain heating less horizontal advection
};

/// Advances `temp` (levels 0 ... top) by one step. Levels may be spaced unequally: each owns the cell that
/// reaches halfway to its neighbours, and conduction is the balance of the fluxes through its ends, so
/// that a linear profile without sources stays as it is. Vertical advection is centred where that keeps the
/// matrix diagonally dominant, else blended with upwind just enough (PISM's lambda).
void solve_column(const ColumnProblem& problem, Tridiagonal& system, double* temp);

/// Steady temperature [K] at height `z` of ice of thickness `thk` that accumulates `balance` m a^-1: Robin
/// (1955, J. Glaciol. 2); a conduction profile for balance <= 0; at most the pressure melting point.
double robin_temperature(double z, double thk, double surface_temp, double balance);

class Energy {
 public:
  /// `grid` outlives it.
  explicit Energy(const Grid& grid);

  /// Sets all own columns to robin_temperature.
  void initialise(State& state) const;
  /// Advances the own columns; temp, uvel, vvel, thk, usurf have valid ghosts. Local. To be followed by
  /// fit_to_thickness when the thickness has followed.
  void advance(State& state, double years);
  /// Fits the own columns to thk: nothing in the ice above the pressure melting point, surface temperature
  /// above it. Local.
  void fit_to_thickness(State& state) const;

 private:
  void vertical_velocity(const State& state, Index i, Index j);
  void heat_source(const State& state, Index i, Index j);
  void advance_column(State& state, double years, Index i, Index j);

  const Grid& grid_;
  Array<double> next_;              ///< temperatures of the next step
  std::vector<double> w_, source_;  ///< of the column at hand
  Tridiagonal system_;
};

}  // namespace pism
