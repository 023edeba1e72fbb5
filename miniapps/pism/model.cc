#include "model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "climate.h"
#include "flow.h"
#include "reduce.h"

namespace pism {
namespace {

constexpr double kIsothermalTemp = 263.15;  // K; plays no part, but is put

}  // namespace

ModelOptions isothermal_model(double softness) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  ModelOptions options;
  options.flow_law.isothermal_softness = softness;
  options.flow_law.max_diffusivity = kNoLimit;
  options.max_mass_step = kNoLimit;
  return options;
}

Model::Model(MPI_Comm comm, const Grid& grid, const Halo& halo, const ModelOptions& options)
    : comm_(comm),
      grid_(grid),
      halo_(halo),
      options_(options),
      state_(grid),
      continuity_(comm, grid, halo, {options.max_mass_step, options.flow_law.max_diffusivity}),
      energy_(grid) {}

/// What follows from topg and thk without temperatures.
void Model::begin() {
  for_own(grid_, [&](Index i, Index j) {
    state_.latitude(i, j) = polar_stereographic_latitude(grid_.x[grid_.xs + i], grid_.y[grid_.ys + j]);
  });
  halo_.exchange(state_.topg, grid_);
  continuity_.calve_and_update_surface(state_);
  require_ice_below_top();
  update_climate();
}

void Model::resume() {
  begin();
  update_flow();
}

void Model::initialise() {
  begin();
  if (isothermal()) {
    state_.temp.fill(kIsothermalTemp);
  } else {
    energy_.initialise(state_);
  }
  update_flow();
}

void Model::update_climate() {
  if (isothermal()) {
    state_.surface_temp.fill(kIsothermalTemp);
    state_.surface_balance.fill(0);
    return;
  }
  for_own(grid_, [&](Index i, Index j) {
    const double elevation = state_.usurf(i, j), latitude = state_.latitude(i, j);
    const double annual = mean_annual_temperature(elevation, latitude);
    state_.surface_temp(i, j) = std::min(annual, kMeltingPoint);
    state_.surface_balance(i, j) = surface_mass_balance(annual, mean_july_temperature(elevation, latitude));
  });
}

void Model::update_flow() {
  advection_rate_ = max_over_ranks(comm_, pism::update_flow(grid_, options_.flow_law, state_));
  for (Array<double>* array : {&state_.temp, &state_.uvel, &state_.vvel, &state_.softness}) {
    halo_.exchange(*array, grid_);
  }
  // Everywhere: columns that the ice reaches before the next update are as soft.
  if (isothermal()) state_.softness.fill(options_.flow_law.isothermal_softness);
}

/// Longest time [a] for which velocities and softness may stay as they are.
double Model::coupling_interval() const {
  if (isothermal()) return std::numeric_limits<double>::infinity();
  return std::min(options_.energy_interval, 1.0 / std::max(advection_rate_, 1e-6));
}

void Model::advance_to(double time, const std::function<void(double)>& on_progress) {
  while (state_.time < time) {
    const double left = time - state_.time;
    const double n = std::max(1.0, std::ceil(left / coupling_interval()));
    if (!isothermal()) {
      energy_.advance(state_, left / n);
      ++energy_steps_;
    }
    mass_steps_ += continuity_.advance(state_, left / n);
    require_ice_below_top();
    update_climate();
    if (!isothermal()) energy_.fit_to_thickness(state_);
    update_flow();
    state_.time = n > 1 ? state_.time + left / n : time;
    if (on_progress) on_progress(state_.time);
  }
}

namespace {

double largest(MPI_Comm comm, const Grid& grid, const Array<double>& map) {
  double own = 0;
  for_own(grid, [&](Index i, Index j) { own = std::max(own, map(i, j)); });
  return max_over_ranks(comm, own);
}

}  // namespace

void Model::require_ice_below_top() const {
  const double thickest = largest(comm_, grid_, state_.thk);
  if (thickest <= grid_.z.back()) return;
  throw AgreedError("ice of " + std::to_string(thickest) + " m does not fit below the highest level, " +
                    std::to_string(grid_.z.back()) + " m: use a larger --ice-height");
}

Summary Model::summary() const {
  const double area = grid_.dx * grid_.dy;
  const Ledger& ledger = continuity_.ledger();
  Summary s;
  s.time = state_.time;
  s.volume = area * reproducible_sum(comm_, grid_, state_.thk);
  s.surface = area * reproducible_sum(comm_, grid_, ledger.surface);
  s.clipped = area * reproducible_sum(comm_, grid_, ledger.clipped);
  s.calved = area * reproducible_sum(comm_, grid_, ledger.calved);
  s.max_thk = largest(comm_, grid_, state_.thk);
  s.max_speed = largest(comm_, grid_, state_.velsurf_mag);
  s.mass_steps = mass_steps_;
  s.energy_steps = energy_steps_;
  return s;
}

std::uint64_t Model::checksum() const {
  std::uint64_t sum = 0;
  for (const Array<double>* array : {&state_.thk, &state_.temp, &state_.uvel, &state_.vvel}) {
    sum = sum * 3 + pism::checksum(comm_, grid_, *array);
  }
  return sum;
}

}  // namespace pism
