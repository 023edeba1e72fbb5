// The samples of a dataset that a camera sees.
#include "esker/view.hpp"

#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Camera;
using esker::Code;
using esker::Dataset;
using esker::GridPlacement;
using esker::Status;
using esker::Vector3;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Vector3 to_vector3(const double* v) { return {v[0], v[1], v[2]}; }

esker_status give_camera(esker_camera* to, const Camera& camera) {
  std::copy(camera.model_view_projection.begin(), camera.model_view_projection.end(),
            to->model_view_projection);
  to->width_pixels = camera.width_pixels;
  to->height_pixels = camera.height_pixels;
  return ESKER_OK;
}

Camera to_camera(const esker_camera& from) {
  Camera camera;
  std::copy_n(from.model_view_projection, 16, camera.model_view_projection.begin());
  camera.width_pixels = from.width_pixels;
  camera.height_pixels = from.height_pixels;
  return camera;
}

esker_placement from_placement(const GridPlacement& placement) {
  esker_placement to{};
  std::copy(placement.origin.begin(), placement.origin.end(), to.origin);
  for (std::size_t a = 0; a < 3; ++a) {
    std::copy(placement.step[a].begin(), placement.step[a].end(), to.step[a]);
  }
  return to;
}

GridPlacement to_placement(const esker_placement& from) {
  GridPlacement placement;
  placement.origin = to_vector3(from.origin);
  for (std::size_t a = 0; a < 3; ++a) placement.step[a] = to_vector3(from.step[a]);
  return placement;
}

esker_view to_view(const esker::View& found) {
  esker_view view{};
  view.visible = found.visible ? 1 : 0;
  view.level = found.level;
  view.pixels = found.pixels;
  give_point(view.lo, found.box.lo, found.box.rank);
  give_point(view.extent, found.box.extents(), found.box.rank);
  return view;
}

}  // namespace

extern "C" {

esker_status esker_camera_perspective(const double* eye, const double* target, const double* up,
                                      double field_of_view_degrees, double near_distance, double far_distance,
                                      int64_t width_pixels, int64_t height_pixels, esker_camera* camera) {
  if (!eye || !target || !up || !camera) return ESKER_INVALID_ARGUMENT;
  return give_camera(
      camera, Camera::perspective(to_vector3(eye), to_vector3(target), to_vector3(up), field_of_view_degrees,
                                  near_distance, far_distance, width_pixels, height_pixels));
}

esker_status esker_camera_orthographic(const double* eye, const double* target, const double* up,
                                       double height, double near_distance, double far_distance,
                                       int64_t width_pixels, int64_t height_pixels, esker_camera* camera) {
  if (!eye || !target || !up || !camera) return ESKER_INVALID_ARGUMENT;
  return give_camera(camera, Camera::orthographic(to_vector3(eye), to_vector3(target), to_vector3(up), height,
                                                  near_distance, far_distance, width_pixels, height_pixels));
}

esker_status esker_inq_placement(esker_dataset* ds, int field, esker_placement* placement) {
  return read_call(ds, "inq_placement", {{placement, "placement"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(const GridPlacement known, GridPlacement::of(dataset, found->name));
    *placement = from_placement(known);
    return {};
  });
}

esker_status esker_choose_view(esker_dataset* ds, int field, const esker_camera* camera,
                               const esker_placement* placement, double pixels_per_sample, int previous_level,
                               double hysteresis, esker_view* view) {
  return read_call(
      ds, "choose_view", {{camera, "camera"}, {view, "view"}}, [&](const Dataset& dataset) -> Status {
        ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
        esker::ViewOptions options;
        options.pixels_per_sample = pixels_per_sample;
        options.hysteresis = hysteresis;
        if (previous_level != ESKER_FULL_LEVEL) options.previous_level = previous_level;
        GridPlacement placed;
        if (placement) {
          placed = to_placement(*placement);
        } else {
          ESKER_ASSIGN_OR_RETURN(placed, GridPlacement::of(dataset, found->name));
        }
        ESKER_ASSIGN_OR_RETURN(const esker::View chosen,
                               esker::choose_view(dataset, found->name, to_camera(*camera), placed, options));
        *view = to_view(chosen);
        return {};
      });
}

}  // extern "C"
