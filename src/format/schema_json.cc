// schema = {"format": 1, "dimensions": [dim ...], "grids": [grid ...], "fields": [field ...],
//           "attributes": atts, "time_attributes": atts if any}
// dim    = {"name", "size", "attributes": atts if any}
// grid   = {"name", "dimensions": ["x" ...] fastest first, "coordinates": {"x": [real ...]}, "attributes":
// atts} field  = {"name", "grid", "type", "components", "fixed", "every", "attributes": atts} atts   =
// {"name": {"text": "..."} | {"integers": [...]} | {"reals": [...]}}
#include "format/schema_json.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"

namespace esker {
namespace {

constexpr int kSchemaFormat = 1;
constexpr const char* kTimeAttributes = "time_attributes";
constexpr int kIndent = 1;
constexpr Index kAnyPositive = std::numeric_limits<Index>::max();
constexpr Index kAnyInt = std::numeric_limits<int>::max();

OrderedJson attributes_to_json(const Attributes& attributes) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : attributes) {
    OrderedJson& out = json[name];
    if (const auto* text = std::get_if<std::string>(&value)) out["text"] = *text;
    if (const auto* integers = std::get_if<std::vector<Index>>(&value)) out["integers"] = *integers;
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) out["reals"] = reals_to_json(*reals);
  }
  return json;
}

OrderedJson grid_to_json(const Schema& schema, const Grid& grid) {
  OrderedJson json;
  json["name"] = grid.name;
  json["dimensions"] = OrderedJson::array();
  for (const int d : grid.dims) json["dimensions"].push_back(schema.dims()[static_cast<std::size_t>(d)].name);
  json["coordinates"] = OrderedJson::object();
  for (const auto& [dim, values] : grid.coords) json["coordinates"][dim] = reals_to_json(values);
  json["attributes"] = attributes_to_json(grid.attributes);
  return json;
}

OrderedJson field_to_json(const Schema& schema, const Field& field) {
  OrderedJson json;
  json["name"] = field.name;
  json["grid"] = schema.grids()[static_cast<std::size_t>(field.grid)].name;
  json["type"] = std::string(name(field.type));
  json["components"] = field.components;
  json["fixed"] = field.fixed;
  json["every"] = field.every;
  json["attributes"] = attributes_to_json(field.attributes);
  return json;
}

Result<AttributeValue> read_attribute(const Json& json) {
  if (json.is_object() && json.contains("text")) {
    ESKER_ASSIGN_OR_RETURN(std::string text, get_text(json, "text"));
    return AttributeValue(std::move(text));
  }
  if (json.is_object() && json.contains("integers")) {
    ESKER_ASSIGN_OR_RETURN(std::vector<Index> integers, get_integers(json, "integers"));
    return AttributeValue(std::move(integers));
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

/// Position in `list` of its element `found`, which was looked for by name.
template <class T>
Result<int> position(const std::vector<T>& list, const T* found, const std::string& name, const char* kind) {
  if (!found) return error(Code::kDataLoss, "there is no {} '{}'", kind, excerpt(name));
  return static_cast<int>(found - list.data());
}

Status read_dimension(const Json& json, Schema& schema) {
  ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(json, "name"));
  ESKER_ASSIGN_OR_RETURN(const Index size, get_integer(json, "size", 1, kAnyPositive));
  ESKER_ASSIGN_OR_RETURN(const DimId dim, schema.add_dim(name, size));
  ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(dim));
  return json.contains("attributes") ? read_attributes(json, "attributes", *attributes) : Status();
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
  ESKER_ASSIGN_OR_RETURN(const GridId grid, schema.add_grid(name, dims));
  ESKER_ASSIGN_OR_RETURN(const Json* coordinates, get_object(json, "coordinates"));
  for (const auto& item : coordinates->items()) {
    ESKER_ASSIGN_OR_RETURN(std::vector<double> values, get_reals(*coordinates, item.key().c_str()));
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
  ESKER_ASSIGN_OR_RETURN(const std::string type, get_text(json, "type"));
  ESKER_ASSIGN_OR_RETURN(field.type, parse_sample_type(excerpt(type)));
  ESKER_ASSIGN_OR_RETURN(const Index components, get_integer(json, "components", 1, kAnyInt));
  field.components = static_cast<int>(components);
  ESKER_ASSIGN_OR_RETURN(field.fixed, get_bool(json, "fixed"));
  ESKER_ASSIGN_OR_RETURN(const Index every, get_integer(json, "every", 1, kAnyInt));
  field.every = static_cast<int>(every);
  ESKER_RETURN_IF_ERROR(read_attributes(json, "attributes", field.attributes));
  return schema.add_field(std::move(field)).status();
}

/// Calls `read` for every element of a list; whatever is wrong with one is the file's fault.
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

OrderedJson schema_to_json(const Schema& schema) {
  OrderedJson json;
  json["format"] = kSchemaFormat;
  json["dimensions"] = OrderedJson::array();
  for (const Dimension& dim : schema.dims()) {
    OrderedJson& out = json["dimensions"].emplace_back(OrderedJson{{"name", dim.name}, {"size", dim.size}});
    if (!dim.attributes.empty()) out["attributes"] = attributes_to_json(dim.attributes);
  }
  json["grids"] = OrderedJson::array();
  for (const Grid& grid : schema.grids()) json["grids"].push_back(grid_to_json(schema, grid));
  json["fields"] = OrderedJson::array();
  for (const Field& field : schema.fields()) json["fields"].push_back(field_to_json(schema, field));
  json["attributes"] = attributes_to_json(schema.attributes());
  if (!schema.time_attributes().empty()) {
    json[kTimeAttributes] = attributes_to_json(schema.time_attributes());
  }
  return json;
}

}  // namespace

std::string print_schema(const Schema& schema) { return dump_json(schema_to_json(schema), kIndent) + "\n"; }

std::string print_schema_outline(const Schema& schema) {
  OrderedJson json = schema_to_json(schema);
  const OrderedJson empty = OrderedJson::object();
  for (OrderedJson& dim : json["dimensions"]) {
    const auto has_dim = [&](const Grid& grid) { return grid.coords.contains(dim["name"]); };
    if (std::any_of(schema.grids().begin(), schema.grids().end(), has_dim)) dim.erase("attributes");
  }
  for (OrderedJson& grid : json["grids"]) grid["coordinates"] = empty;
  for (OrderedJson& field : json["fields"]) field["attributes"] = empty;
  json["attributes"] = empty;
  json.erase(kTimeAttributes);
  return dump_json(json, -1);
}

Result<Schema> parse_schema(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const Json json, parse_json_object(text, kMaxSidecarBytes));
  ESKER_RETURN_IF_ERROR(check_format(json, kSchemaFormat));
  Schema schema;
  ESKER_RETURN_IF_ERROR(read_each(json, "dimensions", schema, read_dimension));
  ESKER_RETURN_IF_ERROR(read_each(json, "grids", schema, read_grid));
  ESKER_RETURN_IF_ERROR(read_each(json, "fields", schema, read_field));
  Status attributes = read_attributes(json, "attributes", schema.attributes());
  if (attributes.ok() && json.contains(kTimeAttributes)) {
    attributes = read_attributes(json, kTimeAttributes, schema.time_attributes());
  }
  if (!attributes.ok()) return Status(Code::kDataLoss, attributes.message());
  return schema;
}

}  // namespace esker
