#include "write/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <type_traits>
#include <variant>

#include "base/text.h"
#include "comm/agree.h"

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

namespace {

std::string describe_text(std::string_view text) {
  const std::string shown = excerpt(text);
  return shown == text ? fmt::format("'{}'", text)
                       : fmt::format("'{}' (hash {:016x})", shown, hash_text(0, text));
}

std::string describe_numbers(const Numbers& numbers) {
  constexpr std::size_t kMostShown = 4;
  return std::visit(
      [&](const auto& list) {
        using Number = typename std::decay_t<decltype(list)>::value_type;
        const std::string_view type = name(type_of(numbers));
        if (list.size() <= kMostShown) {
          const std::vector<std::conditional_t<sizeof(Number) == 1, int, Number>> shown(list.begin(),
                                                                                        list.end());
          return fmt::format("{} {}", type, fmt::join(shown, " "));
        }
        const std::string_view bytes(reinterpret_cast<const char*>(list.data()),
                                     list.size() * sizeof(Number));
        return fmt::format("{} numbers of {} (hash {:016x})", list.size(), type, hash_text(0, bytes));
      },
      numbers);
}

std::string describe_value(const AttributeValue& value) {
  if (const auto* stored = std::get_if<StoredText>(&value)) {
    return fmt::format("{} stored as {}", describe_text(stored->text), describe_text(stored->bytes));
  }
  if (const auto* list = std::get_if<TextList>(&value)) {
    return fmt::format("list of {} texts {}", list->texts.size(), describe_text(pack_texts(list->texts)));
  }
  const std::string* text = text_of(value);
  return text ? describe_text(*text) : describe_numbers(numbers_of(value));
}

/// The lines of describe_definitions() after the first.
class Lines {
 public:
  explicit Lines(std::string& text) : text_(&text) {}
  void add(const std::string& what, const std::string& value) {
    *text_ += fmt::format("\n{}\t{}", what, value);
  }
  void add(const Attributes& attributes, const std::string& owner) {
    for (const auto& [name, value] : attributes) {
      add(fmt::format("attribute {} of {}", describe_text(name), owner), describe_value(value));
    }
  }
  void add(const Grid& grid) {
    add(grid.attributes, "grid " + grid.name);
    for (const auto& [dim, values] : grid.coords) {
      const auto typed = grid.typed_coords.find(dim);
      add(fmt::format("coordinates {} of grid {}", dim, grid.name),
          describe_numbers(typed == grid.typed_coords.end() ? Numbers(values) : typed->second));
    }
  }

 private:
  std::string* text_;
};

}  // namespace

std::string describe_definitions(const Schema& schema) {
  std::string text = describe_schema(schema);
  for (const Scalar& scalar : schema.scalars()) text += " " + scalar.name;
  text += fmt::format(" {}:{}", schema.time_name().empty() ? "without time" : schema.time_name(),
                      name(schema.time_type()));
  Lines lines(text);
  lines.add(schema.attributes(), "the dataset");
  lines.add(schema.time_attributes(), "the time");
  for (const Dimension& dim : schema.dims()) lines.add(dim.attributes, "dimension " + dim.name);
  for (const Grid& grid : schema.grids()) lines.add(grid);
  for (const Field& field : schema.fields()) lines.add(field.attributes, "field " + field.name);
  for (const Scalar& scalar : schema.scalars()) {
    lines.add("value of " + scalar.name, describe_value(scalar.value));
    lines.add(scalar.attributes, scalar.name);
  }
  return text;
}

}  // namespace esker
