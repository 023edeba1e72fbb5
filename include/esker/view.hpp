// What a camera sees of a grid: the box of samples in its view, and the coarsest level whose samples are
// still about a pixel apart.
//
//   auto camera = esker::Camera::perspective(eye, target, up, 45, near, far, 1920, 1080);
//   auto placement = esker::GridPlacement::of(ds, "temp").value();
//   auto view = esker::choose_view(ds, "temp", camera, placement).value();
//   if (view.visible) read({.field = "temp", .box = view.box, .level = view.level});
//
// All functions are local and pure. Method: docs/internals/viewing.md.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

class Dataset;

using Vector3 = std::array<double, 3>;

/// Perspective or orthographic, as its matrix says.
struct ESKER_API Camera {
  /// Row-major: (x, y, z, w) = matrix * (point, 1). What is seen has -w <= x, y, z <= w: x to the right, y
  /// up, z = -w on the near plane and w on the far one, as in OpenGL.
  std::array<double, 16> model_view_projection{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  Index width_pixels = 1, height_pixels = 1;  ///< of the viewport

  /// From `eye` towards `target`; `up` is upwards in the picture. `near` and `far` are distances from the
  /// eye, 0 < near < far. Field of view: from the lower to the upper edge.
  static Camera perspective(const Vector3& eye, const Vector3& target, const Vector3& up,
                            double field_of_view_degrees, double near, double far, Index width_pixels,
                            Index height_pixels);
  /// A view without perspective, `height` high in units of the world; near < far, of either sign.
  static Camera orthographic(const Vector3& eye, const Vector3& target, const Vector3& up, double height,
                             double near, double far, Index width_pixels, Index height_pixels);
};

/// Where samples stand in the world: index 0 at `origin`, and the next one on axis a at origin + step[a].
/// Maps use two of the steps.
struct ESKER_API GridPlacement {
  Vector3 origin{0, 0, 0};
  std::array<Vector3, 3> step{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  /// By the coordinates of the field's dimensions, evenly spaced from the first to the last; indices where
  /// there are none. kNotFound: no such field.
  static Result<GridPlacement> of(const Dataset& dataset, const std::string& field);
};

/// How fine a level is wanted.
struct ViewOptions {
  double pixels_per_sample = 1;       ///< samples are at most so far apart; > 0
  std::optional<int> previous_level;  ///< what was shown before is kept as long as it is nearly as good:
  double hysteresis = 1.25;           ///< samples up to so many times farther apart, or nearer; >= 1
};

/// What to read.
struct View {
  bool visible = false;  ///< else the rest says nothing
  Box box;               ///< of the samples in view, with those of the level around them, for interpolation
  int level = 0;
  double pixels = 0;  ///< between neighbours of that level, where they are farthest apart on the screen
};

/// kNotFound: no such field; kUnsupported: a grid of more than three axes; kInvalidArgument: a viewport, an
/// option or a matrix that is none.
ESKER_API Result<View> choose_view(const Dataset& dataset, const std::string& field, const Camera& camera,
                                   const GridPlacement& placement, const ViewOptions& options = {});

}  // namespace esker
