// Flow: a prescribed, time-dependent velocity that is free of divergence on the grid, to rounding.
//
// The velocity is the curl of a vector potential (0, A_y, A_z):
//
//   u = dA_z/dy - dA_y/dz,   v = -dA_z/dx,   w = dA_y/dx
//
// A_y and A_z are sums of products X(x, t) Y(y) Z(z). Their values on the edges of cells, differenced, give
// the mean normal velocities of faces to second order. The sum of the fluxes through the six faces of a cell
// vanishes because each edge enters twice.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "array.h"
#include "bricks.h"

namespace s3d {

/// X(x, t) Y(y) Z(z), one term of a potential.
struct Term {
  std::function<double(double, double)> along_x;
  std::function<double(double)> along_y, along_z;
};

struct Flow {
  std::vector<Term> potential_y, potential_z;
  std::array<double, 3> max_speed{};  ///< bounds of |u|, |v|, |w|, m/s
};

/// Normal velocities of the faces of the own cells, m/s: [axis] has one more value along that axis. Value i
/// is at the lower face of cell i.
class FaceVelocity {
 public:
  explicit FaceVelocity(const Bricks& bricks);

  /// Local: the velocity at `time` [s].
  void evaluate(const Flow& flow, const Bricks& bricks, double time);

  [[nodiscard]] const Array& operator[](int axis) const { return faces_[axis]; }

 private:
  std::array<Array, 3> faces_;
};

}  // namespace s3d
