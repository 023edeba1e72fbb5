#include "continuity.h"

#include <algorithm>
#include <cmath>

#include "constants.h"
#include "reduce.h"
#include "rheology.h"

namespace pism {
namespace {

/// One edge: node 0, the node at element offset `along`, and their neighbours at offsets +-`across`.
struct Edge {
  const double *thk, *usurf, *softness;  ///< at node 0; maps of one layout
  Index along, across;
  double spacing_along, spacing_across;  ///< m
};

/// Rate factor on the edge: that of the nodes with ice.
double edge_softness(const Edge& e) {
  if (e.thk[0] <= 0) return e.softness[e.along];
  if (e.thk[e.along] <= 0) return e.softness[0];
  return 0.5 * (e.softness[0] + e.softness[e.along]);
}

/// Flux [m^2 a^-1] through the edge, positive along; raises `largest` to the D that was used. No ice
/// leaves a column that has none, however high its bed.
double edge_flux(const Edge& e, double limit, double& largest) {
  const double* s = e.usurf;
  const Index a = e.along, c = e.across;
  const double along = (s[a] - s[0]) / e.spacing_along;
  const double upstream = along > 0 ? e.thk[a] : e.thk[0];
  if (upstream <= 0 || along == 0) return 0;
  const double across = ((s[a + c] + s[c]) - (s[a - c] + s[-c])) / (4.0 * e.spacing_across);
  const double thk = 0.5 * (e.thk[0] + e.thk[a]);
  const double d = std::min(limit, sia_diffusivity(edge_softness(e), thk, along * along + across * across));
  largest = std::max(largest, d);
  return -d * along;
}

bool floats(double topg, double thk) { return kIceDensity * thk < -kSeaWaterDensity * topg; }

}  // namespace

Continuity::Continuity(MPI_Comm comm, const Grid& grid, const Halo& halo, const ContinuityOptions& options)
    : comm_(comm), grid_(grid), halo_(halo), options_(options), ledger_(grid), flux_x_(grid), flux_y_(grid) {}

Index Continuity::advance(State& state, double years) {
  const double dx = std::min(grid_.dx, grid_.dy);
  Index steps = 0;
  for (double left = years; left > 0; ++steps) {
    const double d = max_over_ranks(comm_, compute_fluxes(state));
    const double stable = std::min(options_.max_step, 0.12 * dx * dx / std::max(d, 1e-6));
    const double n = std::ceil(left / stable);
    apply(state, left / n);
    left = n > 1 ? left - left / n : 0;
  }
  return steps;
}

/// Fills the edge fluxes of all own nodes; returns this rank's largest D. Edges on a border between
/// ranks are computed on both from the same numbers.
double Continuity::compute_fluxes(const State& state) {
  const Index x = state.usurf.stride_x(), y = state.usurf.stride_y();
  double largest = 0;
  const auto flux = [&](Index i, Index j, Index along, Index across, double d_along, double d_across) {
    const Edge edge{&state.thk(i, j), &state.usurf(i, j), &state.softness(i, j), along, across, d_along,
                    d_across};
    return edge_flux(edge, options_.max_diffusivity, largest);
  };
  for (Index j = -1; j < grid_.ym; ++j) {
    for (Index i = -1; i < grid_.xm; ++i) {
      if (j >= 0) flux_x_(i, j) = flux(i, j, x, y, grid_.dx, grid_.dy);
      if (i >= 0) flux_y_(i, j) = flux(i, j, y, x, grid_.dy, grid_.dx);
    }
  }
  return largest;
}

/// The new thickness of one column, before calving; enters clipping and surface balance in the ledger.
double Continuity::change(const State& state, Index i, Index j, double years) {
  const double divergence =
      (flux_x_(i, j) - flux_x_(i - 1, j)) / grid_.dx + (flux_y_(i, j) - flux_y_(i, j - 1)) / grid_.dy;
  double thk = state.thk(i, j) - years * divergence;
  if (thk < 0) {
    ledger_.clipped(i, j) -= thk;
    thk = 0;
  }
  const bool open_sea = state.topg(i, j) < 0 && state.thk(i, j) <= 0;
  const double gained = open_sea ? 0 : std::max(-thk, years * state.surface_balance(i, j));
  ledger_.surface(i, j) += gained;
  return thk + gained;
}

void Continuity::apply(State& state, double years) {
  for_own(grid_, [&](Index i, Index j) { state.thk(i, j) = change(state, i, j, years); });
  calve_and_update_surface(state);
}

void Continuity::calve_and_update_surface(State& state) {
  for_own(grid_, [&](Index i, Index j) {
    double& thk = state.thk(i, j);
    if (thk > 0 && floats(state.topg(i, j), thk)) {
      ledger_.calved(i, j) += thk;
      thk = 0;
    }
  });
  halo_.exchange(state.thk, grid_);
  for (Index j = -1; j <= grid_.ym; ++j) {
    for (Index i = -1; i <= grid_.xm; ++i)
      state.usurf(i, j) = surface_elevation(state.topg(i, j), state.thk(i, j));
  }
}

}  // namespace pism
