// Model: a thermomechanically coupled shallow-ice sheet.
//
//   pism::Model model(comm, grid, halo, {});
//   ... fill model.state().topg and thk of the own columns ...
//   model.initialise();
//   model.advance_to(50.0);
//
// With isothermal_model(A) as options, ice has one softness and one temperature, gains and loses nothing at
// its surface, and takes no steps of temperature: what exact solutions assume.
//
// Its state is bit-identical for any number of ranks: neighbours exchange values, step lengths come from
// maxima, and no sum over ranks enters the state.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "continuity.h"
#include "energy.h"
#include "halo.h"
#include "rheology.h"
#include "state.h"

namespace pism {

struct ModelOptions {
  FlowLaw flow_law;
  double max_mass_step = 1.0;    ///< a; longest step of thickness
  double energy_interval = 1.0;  ///< a; longest step of temperature, which holds many steps of thickness
};

/// Options of ice with A = `softness` Pa^-3 a^-1 throughout: no limit to the diffusivity, steps of thickness
/// as long as they are stable.
ModelOptions isothermal_model(double softness);

/// The run in a few numbers; the same on all ranks.
struct Summary {
  double time = 0;                              ///< a
  double volume = 0;                            ///< m^3
  double surface = 0, clipped = 0, calved = 0;  ///< m^3 since the start, as in Ledger
  double max_thk = 0;                           ///< m
  double max_speed = 0;                         ///< m a^-1, at the surface
  Index mass_steps = 0, energy_steps = 0;       ///< since the start
};

class Model {
 public:
  /// Local. `grid` and `halo` outlive it.
  Model(MPI_Comm comm, const Grid& grid, const Halo& halo, const ModelOptions& options);

  State& state() { return state_; }
  [[nodiscard]] const State& state() const { return state_; }

  /// Collective. From topg and thk: latitude, climate, temperature (robin_temperature), velocities; ice
  /// that floats is removed.
  void initialise();
  /// Collective. As initialise(), but from topg, thk, temp and time of the own columns, as advance_to() left
  /// them.
  void resume();
  /// Collective. `on_progress` is called with the time [a] after each temperature step. Throws AgreedError if
  /// the ice grows beyond the highest level.
  void advance_to(double time, const std::function<void(double)>& on_progress = {});

  /// Collective.
  [[nodiscard]] Summary summary() const;
  /// Collective: a number for thk, temp, uvel and vvel together, equal for equal states on any ranks.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  [[nodiscard]] bool isothermal() const { return options_.flow_law.isothermal_softness > 0; }
  [[nodiscard]] double coupling_interval() const;
  void begin();
  void update_climate();
  void update_flow();
  void require_ice_below_top() const;

  MPI_Comm comm_;
  const Grid& grid_;
  const Halo& halo_;
  ModelOptions options_;
  State state_;
  Continuity continuity_;
  Energy energy_;
  double advection_rate_ = 0;  ///< a^-1, largest |u|/dx + |v|/dy of all ranks
  Index mass_steps_ = 0, energy_steps_ = 0;
};

}  // namespace pism
