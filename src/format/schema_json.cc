// Format 1 has only texts, int64 and float64; format 2 adds the items after "2:".
//
// clang-format off
// schema = {"format": 1 | 2, "dimensions": [dim ...], "grids": [grid ...], "fields": [field ...],
//           "attributes": atts, "time_attributes": atts if any,
//           2: "time": {"name", "type"}, "scalars": [scalar ...],
//           "netcdf": ".nc" of the file that the same steps are written to, if any}
// dim    = {"name", "size", "attributes": atts if any, 2: "implicit": true if it is}
// grid   = {"name", "dimensions": ["x" ...] fastest first, "coordinates": {"x": [number ...]},
//           "attributes": atts, 2: "coordinate_types": {"x": type} of those that are not float64,
//           "mesh": mesh if it is one}
// mesh   = {"extent": [cells ...] of the coarsest level, "ratios": [[ratio ...] ...] from level to level,
//           "nodes": true if samples are at nodes, "origin": [...], "spacing": [...],
//           "nested": true if the levels are nested by promise}, all x first
// field  = {"name", "grid", "type", "components", "fixed", "every", ["compression"], ["stored_bits"],
//           "attributes": atts}
// scalar = {"name", "value": att, "attributes": atts}
// atts   = {"name": att ...}
// att    = {"text": "..."} | {"integers": [...]} of int64 | {"reals": [...]} of float64
//          2: | {type: [...]} | {"text": "...", "bytes": "..."}, where character U+0000 ... U+00FF is a byte
//             | {"text": joined by newlines, "texts": ["..." ...]} of a list, where older versions read the text
// clang-format on
#include "format/schema_json.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/json_writer.h"

namespace esker {
namespace {

constexpr int kSchemaFormat = 2;
constexpr const char* kTimeAttributes = "time_attributes";
constexpr const char* kTime = "time";
constexpr const char* kCompression = "compression";
constexpr const char* kStoredBits = "stored_bits";
constexpr const char* kScalars = "scalars";
constexpr const char* kCoordinateTypes = "coordinate_types";
constexpr const char* kMesh = "mesh";
constexpr const char* kOtherSuffix = "netcdf";
constexpr int kIndent = 1;
constexpr Index kAnyPositive = std::numeric_limits<Index>::max();
constexpr Index kAnyInt = std::numeric_limits<int>::max();

bool is_of_format_1(const AttributeValue& value) {
  return std::holds_alternative<std::string>(value) || std::holds_alternative<std::vector<Index>>(value) ||
         std::holds_alternative<std::vector<double>>(value);
}

bool are_of_format_1(const Attributes& attributes) {
  return std::all_of(attributes.begin(), attributes.end(),
                     [](const auto& item) { return is_of_format_1(item.second); });
}

bool has_coords(const Schema& schema, const std::string& dim) {
  return std::any_of(schema.grids().begin(), schema.grids().end(),
                     [&](const Grid& grid) { return grid.coords.contains(dim); });
}

/// The oldest format that can represent the outline of the schema.
int format_of_outline(const Schema& schema) {
  const bool is_plain =
      schema.scalars().empty() && schema.time_name() == "time" &&
      schema.time_type() == SampleType::kFloat64 &&
      std::all_of(schema.dims().begin(), schema.dims().end(),
                  [&](const Dimension& dim) {
                    return !dim.implicit && (has_coords(schema, dim.name) || are_of_format_1(dim.attributes));
                  }) &&
      std::all_of(schema.grids().begin(), schema.grids().end(),
                  [](const Grid& grid) { return are_of_format_1(grid.attributes); });
  return is_plain ? 1 : 2;
}

/// The oldest format that can represent the schema, so that older versions of Esker can read it if possible.
int format_of(const Schema& schema) {
  const bool is_plain = format_of_outline(schema) == 1 && are_of_format_1(schema.attributes()) &&
                        are_of_format_1(schema.time_attributes()) &&
                        std::all_of(schema.dims().begin(), schema.dims().end(),
                                    [](const Dimension& dim) { return are_of_format_1(dim.attributes); }) &&
                        std::all_of(schema.grids().begin(), schema.grids().end(),
                                    [](const Grid& grid) { return grid.typed_coords.empty(); }) &&
                        std::all_of(schema.fields().begin(), schema.fields().end(),
                                    [](const Field& field) { return are_of_format_1(field.attributes); });
  return is_plain ? 1 : 2;
}

/// How much of a schema is written.
enum class Extent { kComplete, kOutline };

const Attributes& attributes_in(Extent extent, const Attributes& attributes) {
  static const Attributes kNone;
  return extent == Extent::kComplete ? attributes : kNone;
}

void write_attribute(JsonWriter& json, const AttributeValue& value) {
  json.object([&] {
    if (const std::string* text = text_of(value)) {
      json.key("text").text(*text);
      if (const auto* stored = std::get_if<StoredText>(&value)) {
        json.key("bytes").text(from_latin1(stored->bytes));
      }
      if (const auto* list = std::get_if<TextList>(&value)) json.key("texts").texts(list->texts);
      return;
    }
    const Numbers numbers = numbers_of(value);
    const SampleType type = type_of(numbers);
    json.key(type == SampleType::kInt64     ? "integers"
             : type == SampleType::kFloat64 ? "reals"
                                            : name(type))
        .numbers(numbers);
  });
}

void write_attributes(JsonWriter& json, const Attributes& attributes) {
  json.object([&] {
    for (const auto& [name, value] : attributes) write_attribute(json.key(name), value);
  });
}

void write_dimension(JsonWriter& json, const Dimension& dim, bool with_attributes) {
  json.object([&] {
    json.key("name").text(dim.name);
    json.key("size").integer(dim.size);
    if (with_attributes && !dim.attributes.empty()) write_attributes(json.key("attributes"), dim.attributes);
    if (dim.implicit) json.key("implicit").boolean(true);
  });
}

void write_scalar(JsonWriter& json, const Scalar& scalar, Extent extent) {
  json.object([&] {
    json.key("name").text(scalar.name);
    write_attribute(json.key("value"), scalar.value);
    write_attributes(json.key("attributes"), attributes_in(extent, scalar.attributes));
  });
}

void write_coordinates(JsonWriter& json, const Grid& grid, Extent extent) {
  json.object([&] {
    if (extent == Extent::kOutline) return;
    for (const auto& [dim, values] : grid.coords) {
      const auto typed = grid.typed_coords.find(dim);
      json.key(dim);
      if (typed == grid.typed_coords.end())
        json.reals(values);
      else
        json.numbers(typed->second);
    }
  });
}

/// The first values, one per axis.
template <class Value>
std::vector<Value> per_axis(const std::array<Value, kMaxRank>& values, int rank) {
  return {values.begin(), values.begin() + rank};
}

void write_mesh(JsonWriter& json, const Mesh& mesh) {
  json.object([&] {
    json.key("extent").numbers(per_axis(mesh.extent, mesh.rank()));
    json.key("ratios").array([&] {
      for (const Point& ratio : mesh.ratios) json.numbers(per_axis(ratio, mesh.rank()));
    });
    json.key("nodes").boolean(mesh.centering == Centering::kNodes);
    json.key("origin").reals(per_axis(mesh.origin, mesh.rank()));
    json.key("spacing").reals(per_axis(mesh.spacing, mesh.rank()));
    if (mesh.nested) json.key("nested").boolean(true);
  });
}

void write_grid(JsonWriter& json, const Schema& schema, const Grid& grid, Extent extent) {
  json.object([&] {
    json.key("name").text(grid.name);
    json.key("dimensions").array([&] {
      for (const int d : grid.dims) json.text(schema.dims()[static_cast<std::size_t>(d)].name);
    });
    write_coordinates(json.key("coordinates"), grid, extent);
    write_attributes(json.key("attributes"), grid.attributes);
    if (grid.mesh) write_mesh(json.key(kMesh), *grid.mesh);
    if (extent == Extent::kOutline || grid.typed_coords.empty()) return;
    json.key(kCoordinateTypes).object([&] {
      for (const auto& [dim, numbers] : grid.typed_coords) json.key(dim).text(name(type_of(numbers)));
    });
  });
}

bool is_compressed(const Field& field) { return !field.compression.empty() && field.compression != "none"; }

void write_field(JsonWriter& json, const Schema& schema, const Field& field, Extent extent) {
  json.object([&] {
    json.key("name").text(field.name);
    json.key("grid").text(schema.grid_of(field).name);
    json.key("type").text(name(field.type));
    json.key("components").integer(field.components);
    json.key("fixed").boolean(field.fixed);
    json.key("every").integer(field.every);
    if (is_compressed(field)) json.key(kCompression).text(field.compression);
    if (field.stored_bits > 0) json.key(kStoredBits).integer(field.stored_bits);
    write_attributes(json.key("attributes"), attributes_in(extent, field.attributes));
  });
}

Result<SampleType> get_type(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const std::string type, get_text(object, key));
  return parse_sample_type(excerpt(type));
}

Result<AttributeValue> read_attribute(const Json& json) {
  const auto has = [&](const char* key) { return json.is_object() && json.contains(key); };
  if (has("texts")) {
    ESKER_ASSIGN_OR_RETURN(std::vector<std::string> texts, get_texts(json, "texts"));
    return to_value(std::move(texts));
  }
  if (has("text")) {
    ESKER_ASSIGN_OR_RETURN(std::string text, get_text(json, "text"));
    if (!has("bytes")) return AttributeValue(std::move(text));
    ESKER_ASSIGN_OR_RETURN(const std::string bytes, get_text(json, "bytes"));
    auto stored = to_latin1(bytes);
    if (!stored) return error(Code::kDataLoss, "'bytes': expected characters U+0000 to U+00FF");
    return AttributeValue(StoredText{std::move(text), *std::move(stored)});
  }
  if (has("integers")) {
    ESKER_ASSIGN_OR_RETURN(std::vector<Index> integers, get_integers(json, "integers"));
    return AttributeValue(std::move(integers));
  }
  if (json.is_object() && json.size() == 1 && !has("reals")) {
    const std::string key = json.begin().key();
    const auto type = parse_sample_type(excerpt(key));
    if (type.ok()) {
      ESKER_ASSIGN_OR_RETURN(Numbers numbers, get_numbers(json, key.c_str(), *type));
      return to_value(std::move(numbers));
    }
  }
  ESKER_ASSIGN_OR_RETURN(std::vector<double> reals, get_reals(json, "reals"));
  return AttributeValue(std::move(reals));
}

Status read_attributes(const Json& object, const char* key, Attributes& out) {
  ESKER_ASSIGN_OR_RETURN(const Json* attributes, get_object(object, key));
  for (const auto& [name, json] : attributes->items()) {
    Result<AttributeValue> value = read_attribute(json);
    if (!value.ok()) return value.status().with_context("attribute '" + excerpt(name) + "'");
    ESKER_RETURN_IF_ERROR(check_attribute(name, *value));
    out[name] = *std::move(value);
  }
  return {};
}

/// Position in `list` of its element `found`, the result of a search by name.
template <class T>
Result<int> position(const std::vector<T>& list, const T* found, const std::string& name, const char* kind) {
  if (!found) return error(Code::kDataLoss, "{} '{}' does not exist", kind, excerpt(name));
  return static_cast<int>(found - list.data());
}

Status read_dimension(const Json& json, Schema& schema) {
  ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(json, "name"));
  ESKER_ASSIGN_OR_RETURN(const Index size, get_integer(json, "size", 1, kAnyPositive));
  if (json.contains("implicit")) {
    ESKER_ASSIGN_OR_RETURN(const bool implicit, get_bool(json, "implicit"));
    if (implicit) return schema.add_implicit_dim(name).status();
  }
  ESKER_ASSIGN_OR_RETURN(const DimId dim, schema.add_dim(name, size));
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(dim));
  return json.contains("attributes") ? read_attributes(json, "attributes", *attributes) : Status();
}

/// One value per axis, x first.
template <class Value>
Status read_per_axis(const std::vector<Value>& values, const char* key, std::size_t rank,
                     std::array<Value, kMaxRank>& axes) {
  if (values.size() != rank) {
    return error(Code::kDataLoss, "'{}': expected {} values, found {}", key, rank, values.size());
  }
  std::copy(values.begin(), values.end(), axes.begin());
  return {};
}

Result<Mesh> read_mesh(const Json& json, std::vector<std::string> axes) {
  Mesh mesh;
  mesh.axes = std::move(axes);
  const std::size_t rank = mesh.axes.size();
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> extent, get_integers(json, "extent"));
  ESKER_RETURN_IF_ERROR(read_per_axis(extent, "extent", rank, mesh.extent));
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::vector<Index>> ratios, get_lists_of_integers(json, "ratios"));
  for (const std::vector<Index>& ratio : ratios) {
    ESKER_RETURN_IF_ERROR(read_per_axis(ratio, "ratios", rank, mesh.ratios.emplace_back()));
  }
  ESKER_ASSIGN_OR_RETURN(const bool at_nodes, get_bool(json, "nodes"));
  if (at_nodes) mesh.centering = Centering::kNodes;
  ESKER_ASSIGN_OR_RETURN(const std::vector<double> origin, get_reals(json, "origin"));
  ESKER_RETURN_IF_ERROR(read_per_axis(origin, "origin", rank, mesh.origin));
  ESKER_ASSIGN_OR_RETURN(const std::vector<double> spacing, get_reals(json, "spacing"));
  ESKER_RETURN_IF_ERROR(read_per_axis(spacing, "spacing", rank, mesh.spacing));
  if (json.contains("nested")) {
    ESKER_ASSIGN_OR_RETURN(mesh.nested, get_bool(json, "nested"));
  }
  return mesh;
}

Status read_grid(const Json& json, Schema& schema) {
  ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(json, "name"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> dim_names, get_texts(json, "dimensions"));
  if (dim_names.size() > kMaxRank) {
    return error(Code::kDataLoss, "'dimensions': expected at most {}, found {}", kMaxRank, dim_names.size());
  }
  std::vector<DimId> dims;
  for (const std::string& dim_name : dim_names) {
    ESKER_ASSIGN_OR_RETURN(const int dim,
                           position(schema.dims(), schema.find_dim(dim_name), dim_name, "dimension"));
    dims.push_back({dim});
  }
  std::optional<Mesh> mesh;
  if (json.contains(kMesh)) {
    ESKER_ASSIGN_OR_RETURN(const Json* found, get_object(json, kMesh));
    ESKER_ASSIGN_OR_RETURN(mesh, read_mesh(*found, dim_names));
  }
  ESKER_ASSIGN_OR_RETURN(const GridId grid,
                         mesh ? schema.add_mesh(name, dims, *mesh) : schema.add_grid(name, dims));
  ESKER_ASSIGN_OR_RETURN(const Json* coordinates, get_object(json, "coordinates"));
  const Json no_types = Json::object();
  const Json* types = &no_types;
  if (json.contains(kCoordinateTypes)) {
    ESKER_ASSIGN_OR_RETURN(types, get_object(json, kCoordinateTypes));
  }
  for (const auto& item : coordinates->items()) {
    const char* key = item.key().c_str();
    SampleType type = SampleType::kFloat64;
    if (types->contains(key)) {
      ESKER_ASSIGN_OR_RETURN(type, get_type(*types, key));
    }
    ESKER_ASSIGN_OR_RETURN(Numbers values, get_numbers(*coordinates, key, type));
    ESKER_RETURN_IF_ERROR(schema.set_coords(grid, item.key(), std::move(values)));
  }
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(grid));
  return read_attributes(json, "attributes", *attributes);
}

Status read_field(const Json& json, Schema& schema) {
  Field field;
  ESKER_ASSIGN_OR_RETURN(field.name, get_text(json, "name"));
  ESKER_ASSIGN_OR_RETURN(const std::string grid, get_text(json, "grid"));
  ESKER_ASSIGN_OR_RETURN(field.grid, position(schema.grids(), schema.find_grid(grid), grid, "grid"));
  ESKER_ASSIGN_OR_RETURN(field.type, get_type(json, "type"));
  ESKER_ASSIGN_OR_RETURN(const Index components, get_integer(json, "components", 1, kAnyInt));
  field.components = static_cast<int>(components);
  ESKER_ASSIGN_OR_RETURN(field.fixed, get_bool(json, "fixed"));
  ESKER_ASSIGN_OR_RETURN(const Index every, get_integer(json, "every", 1, kAnyInt));
  field.every = static_cast<int>(every);
  field.compression = "none";
  if (json.contains(kCompression)) {
    ESKER_ASSIGN_OR_RETURN(field.compression, get_text(json, kCompression));
  }
  if (json.contains(kStoredBits)) {
    ESKER_ASSIGN_OR_RETURN(const Index bits, get_integer(json, kStoredBits, 1, kAnyInt));
    field.stored_bits = static_cast<int>(bits);
  }
  ESKER_RETURN_IF_ERROR(read_attributes(json, "attributes", field.attributes));
  return schema.add_field(std::move(field)).status();
}

Status read_scalar(const Json& json, Schema& schema) {
  Scalar scalar;
  ESKER_ASSIGN_OR_RETURN(scalar.name, get_text(json, "name"));
  ESKER_ASSIGN_OR_RETURN(const Json* value, get_object(json, "value"));
  ESKER_ASSIGN_OR_RETURN(scalar.value, read_attribute(*value));
  ESKER_RETURN_IF_ERROR(read_attributes(json, "attributes", scalar.attributes));
  return schema.add_scalar(std::move(scalar)).status();
}

/// The properties of times in format 2, if any.
Status read_time(const Json& json, Schema& schema) {
  if (!json.contains(kTime)) return {};
  ESKER_ASSIGN_OR_RETURN(const Json* time, get_object(json, kTime));
  ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(*time, "name"));
  ESKER_ASSIGN_OR_RETURN(const SampleType type, get_type(*time, "type"));
  return schema.set_time(name, type);
}

/// Calls `read` for every element of a list; an invalid element is an error of the file.
Status read_each(const Json& json, const char* key, Schema& schema, Status (*read)(const Json&, Schema&)) {
  ESKER_ASSIGN_OR_RETURN(const Json* array, get_array(json, key));
  Index number = 0;
  for (const Json& element : *array) {
    const Status status = read(element, schema);
    if (!status.ok()) return error(Code::kDataLoss, "{} {}: {}", key, number, status.message());
    ++number;
  }
  return {};
}

void write_members(JsonWriter& json, const Schema& schema, Extent extent, const std::string& other_suffix) {
  const bool is_complete = extent == Extent::kComplete;
  json.key("format").integer(is_complete ? format_of(schema) : format_of_outline(schema));
  json.key("dimensions").array([&] {
    for (const Dimension& dim : schema.dims()) {
      write_dimension(json, dim, is_complete || !has_coords(schema, dim.name));
    }
  });
  json.key("grids").array([&] {
    for (const Grid& grid : schema.grids()) write_grid(json, schema, grid, extent);
  });
  json.key("fields").array([&] {
    for (const Field& field : schema.fields()) write_field(json, schema, field, extent);
  });
  write_attributes(json.key("attributes"), attributes_in(extent, schema.attributes()));
  if (is_complete && !schema.time_attributes().empty()) {
    write_attributes(json.key(kTimeAttributes), schema.time_attributes());
  }
  if (schema.time_name() != "time" || schema.time_type() != SampleType::kFloat64) {
    json.key(kTime).object([&] {
      json.key("name").text(schema.time_name());
      json.key("type").text(name(schema.time_type()));
    });
  }
  if (!schema.scalars().empty()) {
    json.key(kScalars).array([&] {
      for (const Scalar& scalar : schema.scalars()) write_scalar(json, scalar, extent);
    });
  }
  if (!other_suffix.empty()) json.key(kOtherSuffix).text(other_suffix);
}

}  // namespace

std::string print_schema(const Schema& schema, const std::string& other_suffix) {
  JsonWriter json(kIndent);
  json.object([&] { write_members(json, schema, Extent::kComplete, other_suffix); });
  return json.take() + "\n";
}

std::string other_suffix_of(const std::string& text) {
  const auto holder = parse_json_object(text, kMaxSidecarBytes);
  if (!holder.ok() || !holder->json.contains(kOtherSuffix)) return "";
  auto suffix = get_text(holder->json, kOtherSuffix);
  return suffix.ok() ? *std::move(suffix) : "";
}

std::string print_schema_outline(const Schema& schema) {
  JsonWriter json;
  json.object([&] { write_members(json, schema, Extent::kOutline, ""); });
  return json.take();
}

void write_schema(JsonWriter& json, const Schema& schema) {
  json.object([&] { write_members(json, schema, Extent::kComplete, ""); });
}

Result<Schema> parse_schema(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxSidecarBytes));
  return read_schema(holder.json);
}

Result<Schema> read_schema(const Json& json) {
  ESKER_RETURN_IF_ERROR(check_format(json, kSchemaFormat));
  Schema schema;
  ESKER_RETURN_IF_ERROR(read_each(json, "dimensions", schema, read_dimension));
  ESKER_RETURN_IF_ERROR(read_each(json, "grids", schema, read_grid));
  ESKER_RETURN_IF_ERROR(read_each(json, "fields", schema, read_field));
  if (json.contains(kScalars)) ESKER_RETURN_IF_ERROR(read_each(json, kScalars, schema, read_scalar));
  Status attributes = read_time(json, schema);
  if (attributes.ok()) attributes = read_attributes(json, "attributes", schema.attributes());
  if (attributes.ok() && json.contains(kTimeAttributes)) {
    attributes = read_attributes(json, kTimeAttributes, schema.time_attributes());
  }
  if (!attributes.ok()) return Status(Code::kDataLoss, attributes.message());
  return schema;
}

}  // namespace esker
