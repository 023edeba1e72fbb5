#include "flow.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pism {
namespace {

/// Rise of the surface from the node to its neighbour, m.
double rise(const State& state, Index i, Index j, Index to_i, Index to_j) {
  const double up = state.usurf(to_i, to_j) - state.usurf(i, j);
  return up > 0 && state.thk(to_i, to_j) <= 0 ? 0 : up;
}

constexpr double cube(double v) { return v * v * v; }

/// Velocity [m a^-1] per unit of column integral, along x and y.
Slope velocity_factor(const Slope& slope, double slope2) {
  static_assert(kGlen == 3, "the powers below");
  const double factor = -2.0 * cube(kIceRhoG) * slope2;
  return {factor * slope.x, factor * slope.y};
}

/// Softens or stiffens a column and its integral by `factor`.
void scale(ColumnFlow& flow, double* integral, Index top, double factor) {
  flow.surface *= factor;
  flow.softness *= factor;
  for (Index k = 0; k <= top; ++k) integral[k] *= factor;
}

void clear_column(const Grid& grid, State& state, Index i, Index j) {
  std::fill_n(state.uvel.column(i, j), grid.Mz, 0.0);
  std::fill_n(state.vvel.column(i, j), grid.Mz, 0.0);
  state.velsurf_mag(i, j) = 0;
  state.softness(i, j) = 0;
}

/// One icy column; returns its largest |u|/dx + |v|/dy.
double update_column(const Grid& grid, const FlowLaw& law, State& state, Index i, Index j, double* integral) {
  const double thk = state.thk(i, j);
  const Slope slope = surface_slope(grid, state, i, j);
  const double slope2 = slope.x * slope.x + slope.y * slope.y;
  const Index top = grid.top_level(thk);
  ColumnFlow flow =
      integrate_column(grid, law, thk, state.temp.column(i, j), state.surface_temp(i, j), integral);
  const double d = sia_diffusivity(flow.softness, thk, slope2);
  if (d > law.max_diffusivity) scale(flow, integral, top, law.max_diffusivity / d);
  const Slope factor = velocity_factor(slope, slope2);
  double* u = state.uvel.column(i, j);
  double* v = state.vvel.column(i, j);
  for (Index k = 0; k <= top; ++k) {
    u[k] = factor.x * integral[k];
    v[k] = factor.y * integral[k];
  }
  std::fill(u + top + 1, u + grid.Mz, 0.0);
  std::fill(v + top + 1, v + grid.Mz, 0.0);
  state.velsurf_mag(i, j) = flow.surface * std::sqrt(factor.x * factor.x + factor.y * factor.y);
  state.softness(i, j) = flow.softness;
  return flow.surface * (std::abs(factor.x) / grid.dx + std::abs(factor.y) / grid.dy);
}

}  // namespace

Slope surface_slope(const Grid& grid, const State& state, Index i, Index j) {
  return {(rise(state, i, j, i + 1, j) - rise(state, i, j, i - 1, j)) / (2.0 * grid.dx),
          (rise(state, i, j, i, j + 1) - rise(state, i, j, i, j - 1)) / (2.0 * grid.dy)};
}

ColumnFlow integrate_column(const Grid& grid, const FlowLaw& law, double thk, const double* temp,
                            double surface_temp, double* integral) {
  static_assert(kGlen == 3, "the powers below");
  const Index top = grid.top_level(thk);
  double a_below = law.rate_factor(temp[0], thk);
  double above = thk;  // ice above the lower end of the interval, m
  double sum4 = 0, sum5 = 0;
  integral[0] = 0;
  for (Index k = 1; k <= top + 1; ++k) {
    const bool last = k > top;
    const double rest = last ? 0 : thk - grid.z[k];
    const double a = law.rate_factor(last ? surface_temp : temp[k], rest);
    const double mean = 0.5 * (a_below + a);
    const double above4 = above * cube(above), rest4 = rest * cube(rest);
    sum4 += mean * (above4 - rest4) / 4.0;
    sum5 += mean * (above4 * above - rest4 * rest);
    if (!last) integral[k] = sum4;
    a_below = a;
    above = rest;
  }
  return {sum4, sum5 / (thk * thk * cube(thk))};
}

double update_flow(const Grid& grid, const FlowLaw& law, State& state) {
  std::vector<double> integral(grid.Mz);
  double rate = 0;
  for_own(grid, [&](Index i, Index j) {
    if (state.thk(i, j) > 0) {
      rate = std::max(rate, update_column(grid, law, state, i, j, integral.data()));
    } else {
      clear_column(grid, state, i, j);
    }
  });
  return rate;
}

}  // namespace pism
