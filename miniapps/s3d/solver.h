// Solver: the scalars in time.
//
//   s3d::Solver solver(comm, bricks, s3d::jet());
//   solver.start();
//   solver.advance();     // one step
//
// Heun's method, which is the SSP Runge-Kutta method of second order: with L for transport, reaction and
// sources, phi1 = phi + dt L(phi, t) and phi_next = (phi + phi1 + dt L(phi1, t + dt)) / 2.
//
// The step follows from the grid and from bounds of the speed and the reaction, not from the state:
//
//   dt = 0.5 / (sum over axes of max|u| / h + 2 D / h^2, + the fastest decay by the reaction)
//
// No sum or maximum over ranks enters the state, so it has the same bits on any number of ranks.
#pragma once

#include <mpi.h>

#include "array.h"
#include "bricks.h"
#include "flow.h"
#include "halo.h"
#include "problem.h"

namespace s3d {

/// Length of a stable step, s.
double stable_step(const Bricks& bricks, const Flow& flow);

class Solver {
 public:
  /// Local. `bricks` outlives it.
  Solver(MPI_Comm comm, const Bricks& bricks, Problem problem);

  /// Local: sets the state to the initial one of the problem, at step 0.
  void start();
  /// Local: continues after `step`; the caller has set scalars().
  void resume(Index step) { step_ = step; }
  /// Collective: one step.
  void advance();

  [[nodiscard]] Index step() const { return step_; }
  [[nodiscard]] double step_seconds() const { return dt_; }
  [[nodiscard]] double time() const { return static_cast<double>(step_) * dt_; }  ///< s
  Array& scalars() { return scalars_; }
  [[nodiscard]] const Array& scalars() const { return scalars_; }
  /// Local: the velocity at time().
  const FaceVelocity& velocity();

 private:
  void find_tendency(Array& scalars, double time);
  void add_sources(const Array& scalars, double time);

  const Bricks& bricks_;
  Problem problem_;
  double dt_;
  Index step_ = 0;
  Array scalars_, stage_, tendency_;
  FaceVelocity velocity_;
  Halo halo_;
};

}  // namespace s3d
