#include "esker/view.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "api/dataset_impl.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "grid/view.h"

namespace esker {
namespace {

constexpr int kMostAxes = 3;

Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 normalized(const Vector3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

/// The camera's coordinates: a point's distances to the right of it, above it and in front of it.
struct EyeAxes {
  std::array<Vector3, 3> axis;
  Vector3 eye;

  EyeAxes(const Vector3& from, const Vector3& target, const Vector3& up) : eye(from) {
    axis[2] = normalized(minus(target, eye));
    axis[0] = normalized(cross(axis[2], up));
    axis[1] = cross(axis[0], axis[2]);
  }
  /// The row of a matrix that gives scale * distance + offset.
  [[nodiscard]] std::array<double, 4> row(std::size_t number, double scale, double offset) const {
    const Vector3& v = axis[number];
    return {scale * v[0], scale * v[1], scale * v[2], offset - scale * dot(v, eye)};
  }
};

Camera camera_of(const std::array<std::array<double, 4>, 4>& rows, Index width_pixels, Index height_pixels) {
  Camera camera;
  for (std::size_t r = 0; r < 4; ++r) {
    std::copy(rows[r].begin(), rows[r].end(), camera.model_view_projection.begin() + 4 * static_cast<int>(r));
  }
  camera.width_pixels = width_pixels;
  camera.height_pixels = height_pixels;
  return camera;
}

double aspect(Index width_pixels, Index height_pixels) {
  return static_cast<double>(width_pixels) / static_cast<double>(height_pixels);
}

bool are_finite(const double* first, std::size_t n) {
  return std::all_of(first, first + n, [](double value) { return std::isfinite(value); });
}

Status check(const Camera& camera, const GridPlacement& placement, const ViewOptions& options) {
  if (camera.width_pixels < 1 || camera.height_pixels < 1) {
    return error(Code::kInvalidArgument, "view: expected a viewport of 1 x 1 pixels or more, found {} x {}",
                 camera.width_pixels, camera.height_pixels);
  }
  bool are_numbers =
      are_finite(camera.model_view_projection.data(), 16) && are_finite(placement.origin.data(), 3);
  for (const Vector3& step : placement.step) are_numbers = are_numbers && are_finite(step.data(), 3);
  if (!are_numbers) {
    return error(Code::kInvalidArgument,
                 "view: expected finite numbers in the camera matrix and in the placement of the grid");
  }
  if (!(options.pixels_per_sample > 0) || !(options.hysteresis >= 1)) {
    return error(Code::kInvalidArgument,
                 "view: expected pixels_per_sample above 0 and hysteresis of 1 or more, found {} and {}",
                 options.pixels_per_sample, options.hysteresis);
  }
  return {};
}

/// Checks that its grid has few enough axes.
Result<int> find_viewable(const Dataset::Impl& dataset, const std::string& field) {
  ESKER_ASSIGN_OR_RETURN(const int number, dataset.locate(field));
  const int rank = dataset.data->box(number).rank;
  if (rank > kMostAxes) {
    return error(Code::kUnsupported, "field '{}': the grid has {} axes; a view supports at most {}", field,
                 rank, kMostAxes);
  }
  return number;
}

}  // namespace

Camera Camera::perspective(const Vector3& eye, const Vector3& target, const Vector3& up,
                           double field_of_view_degrees, double near, double far, Index width_pixels,
                           Index height_pixels) {
  const EyeAxes axes(eye, target, up);
  const double scale = 1 / std::tan(field_of_view_degrees / 360 * std::numbers::pi);
  const double depth = far - near;
  return camera_of({axes.row(0, scale / aspect(width_pixels, height_pixels), 0), axes.row(1, scale, 0),
                    axes.row(2, (far + near) / depth, -2 * far * near / depth), axes.row(2, 1, 0)},
                   width_pixels, height_pixels);
}

Camera Camera::orthographic(const Vector3& eye, const Vector3& target, const Vector3& up, double height,
                            double near, double far, Index width_pixels, Index height_pixels) {
  const EyeAxes axes(eye, target, up);
  const double scale = 2 / height;
  const double depth = far - near;
  return camera_of({axes.row(0, scale / aspect(width_pixels, height_pixels), 0),
                    axes.row(1, scale, 0),
                    axes.row(2, 2 / depth, -(far + near) / depth),
                    {0, 0, 0, 1}},
                   width_pixels, height_pixels);
}

Result<GridPlacement> GridPlacement::of(const Dataset& dataset, const std::string& field) {
  GridPlacement placement;
  const auto place = [&]() -> Status {
    const Dataset::Impl& impl = Dataset::Impl::of(dataset);
    ESKER_ASSIGN_OR_RETURN(const int number, find_viewable(impl, field));
    const Schema& schema = impl.data->schema;
    const Grid& grid = schema.grids()[schema.fields()[static_cast<std::size_t>(number)].grid];
    const Box box = impl.data->box(number);
    for (int a = 0; a < box.rank; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const auto known = grid.coords.find(schema.dims()[grid.dims[axis]].name);
      if (known == grid.coords.end() || known->second.size() < 2) continue;
      const std::vector<double>& values = known->second;
      const double spacing = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
      placement.step[axis][axis] = spacing;
      placement.origin[axis] = values.front() - static_cast<double>(box.lo[a]) * spacing;
    }
    return {};
  };
  ESKER_RETURN_IF_ERROR(guarded("view", place));
  return placement;
}

Result<View> choose_view(const Dataset& dataset, const std::string& field, const Camera& camera,
                         const GridPlacement& placement, const ViewOptions& options) {
  View view;
  const auto choose = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check(camera, placement, options));
    const Dataset::Impl& impl = Dataset::Impl::of(dataset);
    ESKER_ASSIGN_OR_RETURN(const int number, find_viewable(impl, field));
    ESKER_ASSIGN_OR_RETURN(const Bitmask mask, impl.data->bitmask(number));
    view = choose_view(mask, impl.data->box(number), camera, placement, options);
    return {};
  };
  ESKER_RETURN_IF_ERROR(guarded("view", choose));
  return view;
}

}  // namespace esker
