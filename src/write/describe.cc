#include "write/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace esker {
namespace {

std::string describe_mesh(const Mesh& mesh) {
  const auto per_axis = [&](const auto& values) {
    return fmt::join(values.begin(), values.begin() + mesh.rank(), ",");
  };
  std::string text = fmt::format("mesh of {}", per_axis(mesh.extent));
  for (const Point& ratio : mesh.ratios) text += fmt::format("*{}", per_axis(ratio));
  text +=
      fmt::format(" {}{} from {:.17g} by {:.17g} ", mesh.centering == Centering::kNodes ? "nodes" : "cells",
                  mesh.nested ? " nested" : "", per_axis(mesh.origin), per_axis(mesh.spacing));
  return text;
}

}  // namespace

std::string describe_schema(const Schema& schema) {
  std::string text;
  for (const Dimension& dim : schema.dims()) text += fmt::format("{}={} ", dim.name, dim.size);
  for (const Grid& grid : schema.grids()) {
    text += grid.name + "(";
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      text += (d > 0 ? "," : "") + schema.dims()[grid.dims[d]].name;
    }
    text += ") ";
    if (grid.mesh) text += describe_mesh(*grid.mesh);
  }
  for (const Field& field : schema.fields()) {
    text += fmt::format("{}:{}[{}]@{}{}/{}", field.name, name(field.type), field.components, field.grid,
                        field.fixed ? "fixed" : "", field.every);
    if (field.stored_bits > 0) text += fmt::format("~{}", field.stored_bits);
    text += field.compression.empty() ? " " : " " + field.compression + " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace esker
