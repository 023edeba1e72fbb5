#include "viewing.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>

#include "errors.h"
#include "esker/dataset.hpp"
#include "esker/view.hpp"
#include "query.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

View view(const Dataset& dataset, const std::string& field, const Camera& camera,
          const std::optional<GridPlacement>& placement, double pixels_per_sample,
          std::optional<int> previous_level) {
  const GridPlacement used = placement ? *placement : GridPlacement::of(dataset, field).value();
  ViewOptions options;
  options.pixels_per_sample = pixels_per_sample;
  options.previous_level = previous_level;
  return choose_view(dataset, field, camera, used, options).value();
}

}  // namespace

void bind_viewing(nb::module_& m) {
  nb::class_<Camera>(m, "Camera")
      .def(
          "__init__",
          [](Camera* camera, const std::array<double, 16>& matrix, Index width, Index height) {
            new (camera) Camera{matrix, width, height};
          },
          "matrix"_a, "width"_a, "height"_a)
      .def_static("perspective", &Camera::perspective)
      .def_static("orthographic", &Camera::orthographic)
      .def_ro("matrix", &Camera::model_view_projection)
      .def_ro("width", &Camera::width_pixels)
      .def_ro("height", &Camera::height_pixels);
  nb::class_<GridPlacement>(m, "GridPlacement")
      .def(
          "__init__",
          [](GridPlacement* placement, const Vector3& origin, const std::array<Vector3, 3>& step) {
            new (placement) GridPlacement{origin, step};
          },
          "origin"_a, "step"_a)
      .def_static("of", [](const Dataset& ds,
                           const std::string& field) { return GridPlacement::of(ds, field).value(); })
      .def_ro("origin", &GridPlacement::origin)
      .def_ro("step", &GridPlacement::step);
  nb::class_<View>(m, "View")
      .def_ro("visible", &View::visible)
      .def_prop_ro("box", [](const View& seen) { return corners(seen.box); })
      .def_ro("level", &View::level)
      .def_ro("pixels", &View::pixels);
  m.def("view", &view, "dataset"_a, "field"_a, "camera"_a, "placement"_a = nb::none(),
        "pixels_per_sample"_a = 1.0, "previous_level"_a = nb::none());
}

}  // namespace esker::python
