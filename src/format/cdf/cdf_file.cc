#include "format/cdf/cdf_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>

#include "base/byte_order.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "format/schema_json.h"

namespace esker::cdf {
namespace {

constexpr const char* kTime = "time";
constexpr Index kAlignment = 4;  // of all variables

Type type_of(SampleType type) {
  switch (type) {
    case SampleType::kInt8:
      return Type::kByte;
    case SampleType::kUint8:
      return Type::kUByte;
    case SampleType::kInt16:
      return Type::kShort;
    case SampleType::kUint16:
      return Type::kUShort;
    case SampleType::kInt32:
      return Type::kInt;
    case SampleType::kUint32:
      return Type::kUInt;
    case SampleType::kInt64:
      return Type::kInt64;
    case SampleType::kUint64:
      return Type::kUInt64;
    case SampleType::kFloat32:
      return Type::kFloat;
    case SampleType::kFloat64:
      return Type::kDouble;
  }
  return Type::kByte;
}

Attribute integers(const std::string& name, const std::vector<Index>& values) {
  const bool are_small = std::all_of(values.begin(), values.end(),
                                     [](Index value) { return narrow<std::int32_t>(value).has_value(); });
  Attribute attribute{name, are_small ? Type::kInt : Type::kInt64, {}};
  for (const Index value : values) {
    append_be(static_cast<std::uint64_t>(value), are_small ? 4 : 8, attribute.values);
  }
  return attribute;
}

Attribute to_attribute(const std::string& name, const AttributeValue& value) {
  if (const auto* numbers = std::get_if<std::vector<Index>>(&value)) return integers(name, *numbers);
  Attribute attribute{name, Type::kChar, {}};
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto bytes = std::as_bytes(std::span(*text));
    attribute.values.assign(bytes.begin(), bytes.end());
  } else {
    attribute.type = Type::kDouble;
    for (const double real : std::get<std::vector<double>>(value)) {
      append_be(std::bit_cast<std::uint64_t>(real), 8, attribute.values);
    }
  }
  return attribute;
}

std::vector<Attribute> to_attributes(const Attributes& attributes) {
  std::vector<Attribute> list;
  for (const auto& [name, value] : attributes) list.push_back(to_attribute(name, value));
  return list;
}

/// Also where there are NaNs.
bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// A value as one of another type; nothing if it has no such value.
std::optional<std::uint64_t> bits_as(Type type, double value) {
  if (type == Type::kDouble) return std::bit_cast<std::uint64_t>(value);
  if (type == Type::kFloat) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!(std::abs(value) <= 0x1p53) || value != std::trunc(value)) return std::nullopt;
  const auto integer = static_cast<Index>(value);
  const int n_bits = 8 * static_cast<int>(size_bytes(type));
  const bool is_unsigned = type >= Type::kUByte && type != Type::kInt64;
  const bool fits = n_bits == 64 ? !is_unsigned || integer >= 0
                    : is_unsigned
                        ? integer >= 0 && integer < Index{1} << n_bits
                        : integer >= -(Index{1} << (n_bits - 1)) && integer < Index{1} << (n_bits - 1);
  return fits ? std::optional(static_cast<std::uint64_t>(integer)) : std::nullopt;
}

/// Attributes that hold values of the variable have its type, by the conventions.
Status give_type(const Attributes& attributes, Variable& variable) {
  for (Attribute& attribute : variable.attributes) {
    const bool holds_values = attribute.name == "_FillValue" || attribute.name == "missing_value" ||
                              attribute.name == "valid_min" || attribute.name == "valid_max" ||
                              attribute.name == "valid_range";
    if (!holds_values || attribute.type == variable.type || attribute.type == Type::kChar) continue;
    const AttributeValue& value = attributes.at(attribute.name);
    std::vector<double> numbers;
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) numbers = *reals;
    if (const auto* integers = std::get_if<std::vector<Index>>(&value)) {
      numbers.assign(integers->begin(), integers->end());
    }
    attribute.type = variable.type;
    attribute.values.clear();
    for (const double number : numbers) {
      const auto bits = bits_as(variable.type, number);
      if (!bits) {
        return error(Code::kInvalidArgument, "variable '{}': {} of {} is no value of its type", variable.name,
                     attribute.name, number);
      }
      append_be(*bits, size_bytes(variable.type), attribute.values);
    }
  }
  return {};
}

/// Puts a schema into a header, without places.
class Builder {
 public:
  explicit Builder(const Schema& schema) : schema_(schema) {}

  Result<CdfFile> build() {
    file_.header.dims.push_back({kTime, 0});
    first_dim_ = static_cast<int>(file_.header.dims.size());
    for (const Dimension& dim : schema_.dims()) file_.header.dims.push_back({dim.name, dim.size});
    file_.header.attributes = to_attributes(schema_.attributes());
    file_.header.attributes.push_back(to_attribute(kSchemaAttribute, print_schema_outline(schema_)));
    for (std::size_t g = 0; g < schema_.grids().size(); ++g) {
      ESKER_RETURN_IF_ERROR(add_coordinates(static_cast<int>(g)));
    }
    file_.variable_of_field.resize(schema_.fields().size());
    ESKER_RETURN_IF_ERROR(add_fields(true));
    ESKER_ASSIGN_OR_RETURN(file_.time_variable, add_reals(kTime, 0, schema_.time_attributes()));
    ESKER_RETURN_IF_ERROR(add_fields(false));
    return std::move(file_);
  }

 private:
  using Dimension = esker::Dimension;

  int add(Variable variable) {
    file_.header.variables.push_back(std::move(variable));
    return static_cast<int>(file_.header.variables.size()) - 1;
  }

  /// A variable named like its only dimension.
  Result<int> add_reals(const std::string& name, int dim, const Attributes& attributes) {
    Variable variable{name, {dim}, to_attributes(attributes), Type::kDouble, 0};
    ESKER_RETURN_IF_ERROR(give_type(attributes, variable));
    return add(std::move(variable));
  }

  Status add_coordinates(int number) {
    const Grid& grid = schema_.grids()[static_cast<std::size_t>(number)];
    for (const auto& [dim, values] : grid.coords) {
      const auto [first, is_new] = grid_of_coordinate_.emplace(dim, number);
      if (!is_new) {
        const Grid& other = schema_.grids()[static_cast<std::size_t>(first->second)];
        if (are_equal(other.coords.at(dim), values)) continue;
        return error(Code::kInvalidArgument,
                     "dimension '{}' has other coordinates on grid '{}' than on grid '{}': in a CDF file it "
                     "has one variable for them",
                     dim, grid.name, other.name);
      }
      const int place = static_cast<int>(schema_.find_dim(dim) - schema_.dims().data());
      const Attributes& attributes = schema_.dims()[static_cast<std::size_t>(place)].attributes;
      ESKER_ASSIGN_OR_RETURN(const int variable, add_reals(dim, first_dim_ + place, attributes));
      file_.coordinates.push_back({variable, number, dim});
    }
    return {};
  }

  /// One dimension for all fields of as many components.
  int component_dim(int components) {
    const auto [place, is_new] = component_dims_.emplace(components, file_.header.dims.size());
    if (is_new) file_.header.dims.push_back({"component_" + std::to_string(components), components});
    return place->second;
  }

  Status add_fields(bool fixed) {
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      const Field& field = schema_.fields()[f];
      if (field.fixed != fixed) continue;
      Variable variable{field.name, {}, to_attributes(field.attributes), type_of(field.type), 0};
      ESKER_RETURN_IF_ERROR(give_type(field.attributes, variable));
      if (!fixed) variable.dims.push_back(0);
      const std::vector<int>& dims = schema_.grids()[static_cast<std::size_t>(field.grid)].dims;
      for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) variable.dims.push_back(first_dim_ + *dim);
      if (field.components > 1) variable.dims.push_back(component_dim(field.components));
      file_.variable_of_field[f] = add(std::move(variable));
    }
    return {};
  }

  const Schema& schema_;
  CdfFile file_;
  int first_dim_ = 0;  // of the schema's, in the header
  std::map<std::string, int> grid_of_coordinate_;
  std::map<int, int> component_dims_;
};

/// Where variables begin depends on the header's length, which does not depend on where they begin.
void place_variables(Header& header, const FileParameters& parameters) {
  const Index large = round_up(parameters.alignment_bytes, kAlignment);
  Index end = static_cast<Index>(print_header(header).size()) + parameters.spare_header_bytes;
  const auto place = [&](Variable& variable, Index alignment) {
    variable.begin = round_up(end, alignment);
    end = variable.begin + round_up(header.value_bytes(variable), kAlignment);
  };
  for (Variable& variable : header.variables) {
    if (header.is_record(variable)) continue;
    const bool is_large = header.value_bytes(variable) >= parameters.alignment_bytes;
    place(variable, is_large ? large : kAlignment);
  }
  end = round_up(end, large);
  for (Variable& variable : header.variables) {
    if (header.is_record(variable)) place(variable, kAlignment);
  }
}

}  // namespace

Index CdfFile::offset_of(int variable, Index step) const {
  const Variable& of = header.variables[static_cast<std::size_t>(variable)];
  return of.begin + (header.is_record(of) ? step * header.record_bytes() : 0);
}

Index CdfFile::end_of_data() const {
  Index end = static_cast<Index>(print_header(header).size());
  for (const Variable& variable : header.variables) {
    const bool is_record = header.is_record(variable);
    if (is_record && header.num_records == 0) continue;
    const Index last = is_record ? (header.num_records - 1) * header.record_bytes() : 0;
    end = std::max(end, variable.begin + last + header.value_bytes(variable));
  }
  return end;
}

Index CdfFile::file_bytes(Index num_records) const {
  Index end = static_cast<Index>(print_header(header).size());
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable)) return variable.begin + num_records * header.record_bytes();
    end = std::max(end, variable.begin + header.value_bytes(variable));
  }
  return end;
}

Result<CdfFile> describe_file(const Schema& schema) { return Builder(schema).build(); }

Result<CdfFile> make_file(const Schema& schema, const FileParameters& parameters) {
  ESKER_ASSIGN_OR_RETURN(CdfFile file, describe_file(schema));
  Status fits;
  for (const Version version : {Version::kClassic, Version::kOffset64, Version::kData64}) {
    if (parameters.version && version != *parameters.version) continue;
    file.header.version = version;
    fits = check_structure(file.header);
    if (!fits.ok()) continue;
    place_variables(file.header, parameters);
    fits = check_header(file.header);
    if (fits.ok()) return file;
  }
  return fits;
}

namespace {

/// On every grid that has the dimension: which ones were given them is not in the file.
std::vector<CdfFile::Coordinate> find_coordinates(const Schema& schema, const Header& header) {
  std::vector<CdfFile::Coordinate> coordinates;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const Variable& variable = header.variables[v];
    if (variable.type != Type::kDouble || variable.dims.size() != 1) continue;
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
Result<CdfFile> find_file(const Schema& schema, const Header& header) {
  ESKER_ASSIGN_OR_RETURN(const CdfFile wanted, Builder(schema).build());
  const auto shape_of = [](const Header& of, const Variable& variable) {
    std::vector<Index> shape;
    for (const int dim : variable.dims) shape.push_back(of.dims[static_cast<std::size_t>(dim)].length);
    return shape;
  };
  std::map<std::string_view, int> places;
  for (const Variable& variable : header.variables)
    places.emplace(variable.name, static_cast<int>(places.size()));
  const auto find = [&](int number) -> Result<int> {
    const Variable& like = wanted.header.variables[static_cast<std::size_t>(number)];
    const auto place = places.find(like.name);
    if (place != places.end()) {
      const Variable& variable = header.variables[static_cast<std::size_t>(place->second)];
      const bool is_alike =
          variable.type == like.type && shape_of(header, variable) == shape_of(wanted.header, like);
      if (is_alike) return place->second;
    }
    return error(Code::kDataLoss, "no variable '{}' of the type and shape that the schema says", like.name);
  };
  CdfFile file{header, {}, -1, find_coordinates(schema, header)};
  for (const int number : wanted.variable_of_field) {
    ESKER_ASSIGN_OR_RETURN(const int found, find(number));
    file.variable_of_field.push_back(found);
  }
  ESKER_ASSIGN_OR_RETURN(file.time_variable, find(wanted.time_variable));
  return file;
}

}  // namespace esker::cdf
