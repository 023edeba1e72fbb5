#include "write/describe.h"

#include <fmt/format.h>

namespace esker {

std::string describe_schema(const Schema& schema) {
  std::string text;
  for (const Dimension& dim : schema.dims()) text += fmt::format("{}={} ", dim.name, dim.size);
  for (const Grid& grid : schema.grids()) {
    text += grid.name + "(";
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      text += (d > 0 ? "," : "") + schema.dims()[grid.dims[d]].name;
    }
    text += ") ";
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
