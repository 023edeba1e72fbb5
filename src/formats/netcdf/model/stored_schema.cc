#include "formats/netcdf/model/stored_schema.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "format/foreign_names.h"
#include "formats/netcdf/model/outline.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {
namespace {

/// The fill value must have the type of the variable; otherwise netCDF rejects it.
Status give_type(const Attributes& attributes, Variable& variable) {
  const auto sample_type = sample_type_of(variable.type);
  for (Attribute& attribute : variable.attributes) {
    if (attribute.name != "_FillValue" || attribute.type == variable.type) continue;
    const Numbers numbers = numbers_of(attributes.at(attribute.name));
    const auto typed = sample_type ? to_type(numbers, *sample_type) : Result<Numbers>(numbers);
    if (attribute.type == Type::kChar || !sample_type) continue;
    if (!typed.ok()) {
      return error(Code::kInvalidArgument, "variable '{}': _FillValue: {}", variable.name,
                   typed.status().message());
    }
    attribute = to_attribute(attribute.name, esker::to_value(*typed));
  }
  return {};
}

/// Puts a schema into a header, without file offsets.
class Builder {
 public:
  explicit Builder(const Schema& schema) : schema_(schema) {}

  Result<StoredSchema> build() {
    const bool has_times = !schema_.time_name().empty();
    if (has_times) file_.header.dims.push_back({schema_.time_name(), 0});
    for (const Dimension& dim : schema_.dims()) {
      place_of_dim_.push_back(dim.implicit ? -1 : static_cast<int>(file_.header.dims.size()));
      if (!dim.implicit) file_.header.dims.push_back({dim.name, dim.size});
    }
    file_.header.attributes = to_attributes(schema_.attributes());
    for (std::size_t g = 0; g < schema_.grids().size(); ++g) {
      ESKER_RETURN_IF_ERROR(add_coordinates(static_cast<int>(g)));
    }
    for (const Scalar& scalar : schema_.scalars()) ESKER_RETURN_IF_ERROR(add_scalar(scalar));
    file_.variable_of_field.resize(schema_.fields().size());
    ESKER_RETURN_IF_ERROR(add_fields(true));
    if (has_times) {
      ESKER_ASSIGN_OR_RETURN(
          file_.time_variable,
          add_axis(schema_.time_name(), 0, type_of(schema_.time_type()), schema_.time_attributes()));
    }
    ESKER_RETURN_IF_ERROR(add_fields(false));
    return std::move(file_);
  }

 private:
  using Dimension = esker::Dimension;

  int add(Variable variable) {
    file_.header.variables.push_back(std::move(variable));
    return static_cast<int>(file_.header.variables.size()) - 1;
  }

  /// A variable without dimensions; under the name in its source, the attribute with that name is not needed.
  static Variable named(const std::string& name, Attributes attributes, Type type) {
    const std::string in_file = netcdf_name(name, attributes);
    if (in_file != name) attributes.erase(kNameInSourceAttribute);
    return {in_file, {}, to_attributes(attributes), type, 0};
  }

  /// A variable named like its only dimension.
  Result<int> add_axis(const std::string& name, int dim, Type type, const Attributes& attributes) {
    Variable variable{name, {dim}, to_attributes(attributes), type, 0};
    ESKER_RETURN_IF_ERROR(give_type(attributes, variable));
    return add(std::move(variable));
  }

  Status add_scalar(const Scalar& scalar) {
    const Attribute value = to_attribute(scalar.name, scalar.value);
    Variable variable = named(scalar.name, scalar.attributes, value.type);
    ESKER_RETURN_IF_ERROR(give_type(scalar.attributes, variable));
    if (value.type == Type::kChar && value.values.size() > 1) {
      variable.dims.push_back(dim_of_length("string", static_cast<Index>(value.values.size())));
    }
    file_.variable_of_scalar.push_back(add(std::move(variable)));
    return {};
  }

  Status add_coordinates(int number) {
    const Grid& grid = schema_.grids()[static_cast<std::size_t>(number)];
    for (const auto& item : grid.coords) {
      const std::string& dim = item.first;
      const int place = static_cast<int>(schema_.find_dim(dim) - schema_.dims().data());
      if (place_of_dim_[static_cast<std::size_t>(place)] < 0) continue;
      const Numbers values = coordinates_of(grid, dim);
      const auto [first, is_new] = grid_of_coordinate_.emplace(dim, number);
      if (!is_new) {
        const Grid& other = schema_.grids()[static_cast<std::size_t>(first->second)];
        const Numbers others = coordinates_of(other, dim);
        if (others.index() == values.index() && to_bytes(others) == to_bytes(values)) continue;
        return error(Code::kInvalidArgument,
                     "dimension '{}' has different coordinates on grids '{}' and '{}', but a CDF file has "
                     "one coordinate variable per dimension",
                     dim, grid.name, other.name);
      }
      const Attributes& attributes = schema_.dims()[static_cast<std::size_t>(place)].attributes;
      ESKER_ASSIGN_OR_RETURN(const int variable, add_axis(dim, place_of_dim_[static_cast<std::size_t>(place)],
                                                          type_of(esker::type_of(values)), attributes));
      file_.coordinates.push_back({variable, number, dim});
    }
    return {};
  }

  /// "component_3": one dimension for all fields with that number of components; the same for texts.
  /// "component_3_" if the schema has a dimension of that name.
  int dim_of_length(const std::string& kind, Index length) {
    std::string name = kind + std::to_string(length);
    std::vector<netcdf::Dimension>& dims = file_.header.dims;
    const auto [place, is_new] = other_dims_.emplace(name, dims.size());
    if (!is_new) return place->second;
    const auto is_taken = [&](const netcdf::Dimension& dim) { return dim.name == name; };
    while (std::any_of(dims.begin(), dims.end(), is_taken)) name += '_';
    dims.push_back({name, length});
    return place->second;
  }

  Status add_fields(bool fixed) {
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      const Field& field = schema_.fields()[f];
      if (field.fixed != fixed) continue;
      const Type type = type_of(field);
      Attributes attributes = field.attributes;
      if (type == Type::kChar) attributes.erase(kSampleTypeAttribute);
      Variable variable = named(field.name, attributes, type);
      ESKER_RETURN_IF_ERROR(give_type(attributes, variable));
      if (!fixed) variable.dims.push_back(0);
      const std::vector<int>& dims = schema_.grid_of(field).dims;
      for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
        const int place = place_of_dim_[static_cast<std::size_t>(*dim)];
        if (place >= 0) variable.dims.push_back(place);
      }
      if (field.components > 1) variable.dims.push_back(dim_of_length("component_", field.components));
      file_.variable_of_field[f] = add(std::move(variable));
    }
    return {};
  }

  const Schema& schema_;
  StoredSchema file_;
  std::vector<int> place_of_dim_;  // of the schema's, in the header
  std::map<std::string, int> grid_of_coordinate_;
  std::map<std::string, int> other_dims_;
};

}  // namespace

Numbers coordinates_of(const Grid& grid, const std::string& dim) {
  const auto typed = grid.typed_coords.find(dim);
  return typed != grid.typed_coords.end() ? typed->second : Numbers(grid.coords.at(dim));
}

Result<StoredSchema> describe_file(const Schema& schema) {
  ESKER_ASSIGN_OR_RETURN(StoredSchema file, Builder(schema).build());
  file.header.attributes.push_back(to_attribute(kSchemaAttribute, print_outline(schema, file.header)));
  return file;
}

namespace {

/// Put on every grid that has the dimension: the file does not store which grids they were given for.
std::vector<StoredSchema::Coordinate> find_coordinates(const Schema& schema, const Header& header) {
  std::vector<StoredSchema::Coordinate> coordinates;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const Variable& variable = header.variables[v];
    if (variable.type == Type::kChar || variable.dims.size() != 1) continue;
    if (schema.find_field(variable.name)) continue;
    const Dimension& of = header.dims[static_cast<std::size_t>(variable.dims[0])];
    const esker::Dimension* dimension = schema.find_dim(variable.name);
    if (of.name != variable.name || !dimension || dimension->size != of.length) continue;
    for (std::size_t g = 0; g < schema.grids().size(); ++g) {
      const std::vector<int>& dims = schema.grids()[g].dims;
      const auto has_name = [&](int dim) {
        return schema.dims()[static_cast<std::size_t>(dim)].name == variable.name;
      };
      if (std::none_of(dims.begin(), dims.end(), has_name)) continue;
      coordinates.push_back({static_cast<int>(v), static_cast<int>(g), variable.name});
    }
  }
  return coordinates;
}

}  // namespace

// The variables that the schema would have in a new file, by their names.
Result<StoredSchema> find_file(const Schema& schema, const Header& header) {
  ESKER_ASSIGN_OR_RETURN(const StoredSchema wanted, Builder(schema).build());
  const auto shape_of = [](const Header& of, const Variable& variable) {
    std::vector<Index> shape;
    for (const int dim : variable.dims) shape.push_back(of.dims[static_cast<std::size_t>(dim)].length);
    return shape;
  };
  std::map<std::string, int> places;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    places.emplace(header.variables[v].name, static_cast<int>(v));
  }
  for (std::size_t v = 0; v < header.variables.size(); ++v) {  // exact names first
    places.emplace(schema_name(header.variables[v].name), static_cast<int>(v));
  }
  const auto is_alike = [&](const Variable& found, const Variable& like) {  // outlines do not know characters
    const bool is_text = found.type == Type::kChar && like.type == Type::kUByte;
    return (is_text || found.type == like.type) && shape_of(header, found) == shape_of(wanted.header, like);
  };
  const auto find = [&](int number) -> Result<int> {
    const Variable& like = wanted.header.variables[static_cast<std::size_t>(number)];
    const auto place = places.find(like.name);
    if (place != places.end()) {
      if (is_alike(header.variables[static_cast<std::size_t>(place->second)], like)) return place->second;
    }
    return error(Code::kDataLoss, "no variable '{}' with the type and shape of the schema", like.name);
  };
  StoredSchema file{header, {}, -1, find_coordinates(schema, header), {}};
  for (const int number : wanted.variable_of_field) {
    ESKER_ASSIGN_OR_RETURN(const int found, find(number));
    file.variable_of_field.push_back(found);
  }
  if (wanted.time_variable >= 0) {
    ESKER_ASSIGN_OR_RETURN(file.time_variable, find(wanted.time_variable));
  }
  for (const int number : wanted.variable_of_scalar) {
    const auto found = find(number);
    file.variable_of_scalar.push_back(found.ok() ? *found : -1);
  }
  return file;
}

}  // namespace esker::netcdf
