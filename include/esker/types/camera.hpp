// Camera, GridPlacement, View: what choose_view() takes and returns.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

class Dataset;

using Vector3 = std::array<double, 3>;

/// A perspective or orthographic camera, given by its matrix.
struct ESKER_API Camera {
  /// Row-major: (x, y, z, w) = matrix * (point, 1). Visible points have -w <= x, y, z <= w: x to the right, y
  /// up, z = -w on the near plane and w on the far plane, as in OpenGL.
  std::array<double, 16> model_view_projection{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  Index width_pixels = 1, height_pixels = 1;  ///< of the viewport

  /// Looks from `eye` to `target`; `up` points upwards in the picture. `near` and `far` are distances from
  /// the eye, 0 < near < far. The field of view is measured from the lower to the upper edge.
  static Camera perspective(const Vector3& eye, const Vector3& target, const Vector3& up,
                            double field_of_view_degrees, double near, double far, Index width_pixels,
                            Index height_pixels);
  /// An orthographic view, `height` world units high; near < far, of either sign.
  static Camera orthographic(const Vector3& eye, const Vector3& target, const Vector3& up, double height,
                             double near, double far, Index width_pixels, Index height_pixels);
};

/// Positions of samples in the world: index 0 is at `origin`, the next one on axis a at origin + step[a]. 2-D
/// grids use two of the steps.
struct ESKER_API GridPlacement {
  Vector3 origin{0, 0, 0};
  std::array<Vector3, 3> step{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  /// From the coordinates of the field's dimensions, assumed to be evenly spaced; from indices where there
  /// are no coordinates. Error kNotFound: no such field.
  static Result<GridPlacement> of(const Dataset& dataset, const std::string& field);
};

/// The desired resolution.
struct ViewOptions {
  double pixels_per_sample = 1;       ///< maximum distance of samples on the screen; > 0
  std::optional<int> previous_level;  ///< the level shown before; kept while it is nearly as good
  double hysteresis = 1.25;           ///< by what factor sample distances may differ to keep it; >= 1
};

/// What to read.
struct View {
  bool visible = false;  ///< if false, the other members are meaningless
  Box box;               ///< samples in view, and their neighbors at this level for interpolation
  int level = 0;
  double pixels = 0;  ///< largest screen distance between neighbors at this level
};

}  // namespace esker
