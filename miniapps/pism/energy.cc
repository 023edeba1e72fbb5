#include "energy.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "constants.h"
#include "flow.h"

namespace pism {
namespace {

/// Row of an inner level: backward Euler for conduction and vertical advection.
void set_inner_row(const ColumnProblem& p, Tridiagonal& s, Index k, double temp) {
  const double below = p.dz[k - 1], above = p.dz[k], cell = 0.5 * (below + above);  // m
  const double conduction_below = kIceDiffusivity * p.years / (below * cell);
  const double conduction_above = kIceDiffusivity * p.years / (above * cell);
  const double courant = p.w[k] * p.years / cell;
  const double conduction_ahead = courant > 0 ? conduction_above : conduction_below;
  const double centred = std::min(1.0, 2.0 * conduction_ahead / std::max(std::abs(courant), 1e-30));
  const double from_below = (1.0 - centred) * std::max(p.w[k] * p.years / below, 0.0);
  const double from_above = (1.0 - centred) * std::min(p.w[k] * p.years / above, 0.0);
  s.lower[k] = -conduction_below - 0.5 * centred * courant - from_below;
  s.upper[k] = -conduction_above + 0.5 * centred * courant + from_above;
  s.diag[k] = 1.0 + (conduction_below + conduction_above) + (from_below - from_above);
  s.rhs[k] = temp + p.years * p.source[k];
}

/// Row of the base: heat balance of the lower half cell, where w is 0.
void set_base_row(const ColumnProblem& p, Tridiagonal& s, double temp) {
  const double dz = p.dz[0];
  const double conduction = kIceDiffusivity * p.years / (dz * dz);
  s.diag[0] = 1.0 + 2.0 * conduction;
  s.upper[0] = -2.0 * conduction;
  s.rhs[0] = temp + p.years * (p.source[0] + 2.0 * p.basal_flux / (kIceDensity * kIceHeatCapacity * dz));
}

/// The neighbour column at (i, j) of an array, read no higher than its own ice reaches.
struct Neighbour {
  const double *u, *v;
  Index top;
  [[nodiscard]] Index level(Index k) const { return std::min(k, top); }
};

Neighbour neighbour(const Grid& grid, const State& state, Index i, Index j) {
  return {state.uvel.column(i, j), state.vvel.column(i, j), grid.top_level(state.thk(i, j))};
}

/// Change along an axis seen by a flow `speed`: velocity times the upwind difference.
double upwind(double speed, double before, double here, double after, double spacing) {
  return speed * (speed > 0 ? here - before : after - here) / spacing;
}

double cap_at_melting(double temp, double depth) { return std::min(temp, pressure_melting_point(depth)); }

}  // namespace

void solve_column(const ColumnProblem& problem, Tridiagonal& system, double* temp) {
  set_base_row(problem, system, temp[0]);
  for (Index k = 1; k < problem.top; ++k) set_inner_row(problem, system, k, temp[k]);
  system.lower[problem.top] = 0;
  system.diag[problem.top] = 1;
  system.rhs[problem.top] = problem.surface_temp;
  system.solve(problem.top + 1, temp);
}

double robin_temperature(double z, double thk, double surface_temp, double balance) {
  const double gradient = kGeothermalFlux / kIceConductivity;  // K m^-1 at the base
  double warmer = gradient * (thk - z);
  if (balance > 0) {
    const double length = std::sqrt(2.0 * kIceDiffusivity * thk / balance);
    warmer = gradient * length * std::sqrt(std::numbers::pi) / 2.0 *
             (std::erf(thk / length) - std::erf(z / length));
  }
  return cap_at_melting(surface_temp + warmer, thk - z);
}

Energy::Energy(const Grid& grid) : grid_(grid), next_(grid, grid.Mz), w_(grid.Mz), source_(grid.Mz) {
  system_.resize(grid.Mz);
}

void Energy::initialise(State& state) const {
  for_own(grid_, [&](Index i, Index j) {
    const double thk = state.thk(i, j), surface = state.surface_temp(i, j);
    double* temp = state.temp.column(i, j);
    for (Index k = 0; k <= grid_.top_level(thk); ++k) {
      temp[k] = robin_temperature(grid_.z[k], thk, surface, state.surface_balance(i, j));
    }
  });
  fit_to_thickness(state);
}

void Energy::fit_to_thickness(State& state) const {
  for_own(grid_, [&](Index i, Index j) {
    const double thk = state.thk(i, j);
    double* temp = state.temp.column(i, j);
    const Index above = thk > 0 ? grid_.top_level(thk) + 1 : 0;
    for (Index k = 0; k < above; ++k) temp[k] = cap_at_melting(temp[k], thk - grid_.z[k]);
    std::fill(temp + above, temp + grid_.Mz, state.surface_temp(i, j));
  });
}

/// w_[k] = -integral_0^z (du/dx + dv/dy) dz by trapezoids; no melt and no sliding at the base.
void Energy::vertical_velocity(const State& state, Index i, Index j) {
  const Neighbour east = neighbour(grid_, state, i + 1, j), west = neighbour(grid_, state, i - 1, j);
  const Neighbour north = neighbour(grid_, state, i, j + 1), south = neighbour(grid_, state, i, j - 1);
  double below = 0;
  w_[0] = 0;
  for (Index k = 1; k <= grid_.top_level(state.thk(i, j)); ++k) {
    const double divergence = (east.u[east.level(k)] - west.u[west.level(k)]) / (2.0 * grid_.dx) +
                              (north.v[north.level(k)] - south.v[south.level(k)]) / (2.0 * grid_.dy);
    w_[k] = w_[k - 1] - 0.5 * grid_.dz[k - 1] * (below + divergence);
    below = divergence;
  }
}

/// source_[k]: strain heating, shear stress times du/dz, over rho c; less horizontal advection.
void Energy::heat_source(const State& state, Index i, Index j) {
  const double thk = state.thk(i, j);
  const Slope slope = surface_slope(grid_, state, i, j);
  const double *u = state.uvel.column(i, j), *v = state.vvel.column(i, j), *here = state.temp.column(i, j);
  const double *east = state.temp.column(i + 1, j), *west = state.temp.column(i - 1, j);
  const double *north = state.temp.column(i, j + 1), *south = state.temp.column(i, j - 1);
  const Index top = grid_.top_level(thk);
  for (Index k = 0; k <= top; ++k) {
    const Index above = std::min(k + 1, top), below = std::max<Index>(k - 1, 0);
    const double du = u[above] - u[below], dv = v[above] - v[below];
    const double height = (k > 0 ? grid_.dz[k - 1] : 0) + (k < top ? grid_.dz[k] : 0);
    const double shear = -(slope.x * du + slope.y * dv) / height;
    source_[k] = kIceRhoG * (thk - grid_.z[k]) * shear / (kIceDensity * kIceHeatCapacity) -
                 upwind(u[k], west[k], here[k], east[k], grid_.dx) -
                 upwind(v[k], south[k], here[k], north[k], grid_.dy);
  }
}

void Energy::advance_column(State& state, double years, Index i, Index j) {
  const double thk = state.thk(i, j);
  double* next = next_.column(i, j);
  ColumnProblem problem;
  problem.top = grid_.top_level(thk);
  problem.surface_temp = state.surface_temp(i, j);
  if (problem.top == 0) return std::fill_n(next, grid_.Mz, problem.surface_temp), void();
  vertical_velocity(state, i, j);
  heat_source(state, i, j);
  problem.dz = grid_.dz.data();
  problem.years = years;
  problem.w = w_.data();
  problem.source = source_.data();
  std::copy_n(state.temp.column(i, j), grid_.Mz, next);
  solve_column(problem, system_, next);
}

void Energy::advance(State& state, double years) {
  for_own(grid_, [&](Index i, Index j) { advance_column(state, years, i, j); });
  std::swap(state.temp.values(), next_.values());
}

}  // namespace pism
