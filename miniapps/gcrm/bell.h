// Bell: test 1 of Williamson, Drake, Hack, Jakob and Swarztrauber (1992, J. Comput. Phys. 102, 211): a cosine
// bell that is carried once around the sphere in 12 days, along a great circle that is tilted by alpha. Here
// each layer has a different speed, from half of the test's speed in the lowest layer to all of it in the
// highest. The solution is known at all times in all layers.
#pragma once

#include <vector>

#include "vec3.h"

namespace gcrm {

struct Bell {
  double alpha_degrees = 45;
  int layers = 1;

  /// Axis of the rotation, a unit vector.
  [[nodiscard]] Vec3 axis() const;
  /// Angular speed of a layer, radians per day.
  [[nodiscard]] double speed(int layer) const;
  /// The same of all layers.
  [[nodiscard]] std::vector<double> speeds() const;
  /// The position of the bell's centre in a layer after `days`.
  [[nodiscard]] Vec3 centre(int layer, double days) const;
  /// The tracer's exact value at a point, 0 ... 1.
  [[nodiscard]] static double value(const Vec3& bell_centre, const Vec3& point);
};

}  // namespace gcrm
