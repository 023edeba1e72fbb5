#include "solver.h"

#include <utility>

#include "boundary.h"
#include "transport.h"

namespace s3d {
namespace {

constexpr double kCourant = 0.5;

Place place_of(const Bricks& bricks, Index i, Index j, Index k) {
  return {bricks.center(0, bricks.own.lo[0] + i), bricks.center(1, bricks.own.lo[1] + j),
          bricks.center(2, bricks.own.lo[2] + k)};
}

Values values_of(const Array& scalars, Index i, Index j, Index k) {
  Values v;
  for (int s = 0; s < kNumScalars; ++s) v[s] = scalars.row(s, j, k)[i];
  return v;
}

/// Calls f(to, from, tendency, n) for each row of each scalar.
template <class F>
void combine(Array& to, const Array& from, const Array& tendency, F&& f) {
  for (int s = 0; s < kNumScalars; ++s) {
    for_rows(to, [&](Index j, Index k) {
      double* a = to.row(s, j, k);
      const double *b = from.row(s, j, k), *rate = tendency.row(s, j, k);
      for (Index i = 0; i < to.cells(0); ++i) a[i] = f(a[i], b[i], rate[i]);
    });
  }
}

}  // namespace

double stable_step(const Bricks& bricks, const Flow& flow) {
  double rate = fastest_decay();
  for (int a = 0; a < 3; ++a) {
    const double h = bricks.spacing[a];
    rate += flow.max_speed[a] / h + 2 * kDiffusivity / (h * h);
  }
  return kCourant / rate;
}

Solver::Solver(MPI_Comm comm, const Bricks& bricks, Problem problem)
    : bricks_(bricks),
      problem_(std::move(problem)),
      dt_(stable_step(bricks, problem_.flow)),
      scalars_(bricks.own.extents(), kNumScalars, kGhosts),
      stage_(scalars_),
      tendency_(bricks.own.extents(), kNumScalars, 0),
      velocity_(bricks),
      halo_(comm, bricks, scalars_) {}

void Solver::start() {
  step_ = 0;
  for_rows(scalars_, [&](Index j, Index k) {
    for (Index i = 0; i < scalars_.cells(0); ++i) {
      const Values v = problem_.initial(place_of(bricks_, i, j, k), 0);
      for (int s = 0; s < kNumScalars; ++s) scalars_.row(s, j, k)[i] = v[s];
    }
  });
}

const FaceVelocity& Solver::velocity() {
  velocity_.evaluate(problem_.flow, bricks_, time());
  return velocity_;
}

void Solver::find_tendency(Array& scalars, double time) {
  halo_.exchange(scalars);
  fill_boundary(bricks_, problem_.inflow, time, scalars);
  velocity_.evaluate(problem_.flow, bricks_, time);
  transport(bricks_, velocity_, scalars, tendency_);
  add_sources(scalars, time);
}

void Solver::add_sources(const Array& scalars, double time) {
  for_rows(tendency_, [&](Index j, Index k) {
    for (Index i = 0; i < tendency_.cells(0); ++i) {
      const double burns = reaction_rate(values_of(scalars, i, j, k));
      Values change{};
      if (problem_.source) change = problem_.source(place_of(bricks_, i, j, k), time);
      for (int s = 0; s < kNumScalars; ++s) tendency_.row(s, j, k)[i] += burns * kPerCO[s] + change[s];
    }
  });
}

void Solver::advance() {
  find_tendency(scalars_, time());
  combine(stage_, scalars_, tendency_, [&](double, double now, double rate) { return now + dt_ * rate; });
  find_tendency(stage_, time() + dt_);
  combine(scalars_, stage_, tendency_,
          [&](double now, double first, double rate) { return 0.5 * (now + (first + dt_ * rate)); });
  ++step_;
}

}  // namespace s3d
