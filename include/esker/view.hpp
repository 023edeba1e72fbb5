// choose_view: the box of a grid that a camera sees, and the coarsest level whose samples are still about a
// pixel apart.
//
//   auto camera = esker::Camera::perspective(eye, target, up, 45, near, far, 1920, 1080);
//   auto placement = esker::GridPlacement::of(ds, "temp").value();
//   auto view = esker::choose_view(ds, "temp", camera, placement).value();
//   if (view.visible) read({.field = "temp", .box = view.box, .level = view.level});
//
// All functions are local and pure. Method: docs/internals/viewing.md.
#pragma once

#include <string>

#include "esker/types/camera.hpp"  // IWYU pragma: export
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

class Dataset;

/// Chooses what to read for a camera. Errors: kNotFound (no such field), kUnsupported (more than three axes),
/// kInvalidArgument (invalid viewport, option or matrix).
ESKER_API Result<View> choose_view(const Dataset& dataset, const std::string& field, const Camera& camera,
                                   const GridPlacement& placement, const ViewOptions& options = {});

}  // namespace esker
