// Continuity: the ice thickness changes by what flows in, falls, melts and calves.
//
// Shallow-ice flow is a diffusion of the surface: dH/dt = div(D grad h) + surface balance, with
// D of rheology.h. Fluxes live on the edges between nodes, so what leaves one column enters the next.
// D is staggered as in Mahaffy (1976, J. Geophys. Res. 81): mean of H over the two nodes, slope along
// the edge from them, slope across it from their four neighbours.
#pragma once

#include <mpi.h>

#include "array.h"
#include "halo.h"
#include "state.h"

namespace pism {

/// Changes of the thickness other than by flow: metres of ice per node since the start.
struct Ledger {
  explicit Ledger(const Grid& grid) : surface(grid), clipped(grid), calved(grid) {}

  Array<double> surface;  ///< gained at the surface (negative: melted); melt stops where ice ends
  Array<double> clipped;  ///< added where the flux of one step would have left less than no ice
  Array<double> calved;   ///< removed because it floated
};

struct ContinuityOptions {
  double max_step = 1.0;           ///< a
  double max_diffusivity = 3.0e7;  ///< m^2 a^-1, see FlowLaw
};

class Continuity {
 public:
  /// Local. `grid`, `halo` outlive it.
  Continuity(MPI_Comm comm, const Grid& grid, const Halo& halo, const ContinuityOptions& options);

  /// Advances thk and usurf (and their ghosts) by `years` with softness and surface balance held.
  /// Steps are explicit and no longer than 0.12 dx^2 / max D, PISM's stability ratio: half of
  /// dx^2 / (4 D), as D itself grows with slope. Collective. Returns the number of steps.
  Index advance(State& state, double years);

  /// Removes floating ice and sets usurf, ghosts included. Collective.
  void calve_and_update_surface(State& state);

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  double compute_fluxes(const State& state);
  void apply(State& state, double years);
  double change(const State& state, Index i, Index j, double years);

  MPI_Comm comm_;
  const Grid& grid_;
  const Halo& halo_;
  ContinuityOptions options_;
  Ledger ledger_;
  Array<double> flux_x_, flux_y_;  ///< m^2 a^-1 through the edge east and north of each node
};

}  // namespace pism
