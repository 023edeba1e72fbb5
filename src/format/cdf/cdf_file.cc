#include "format/cdf/cdf_file.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

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

/// Big-endian, in `n_bytes` each.
void append(std::uint64_t value, int n_bytes, std::vector<std::byte>& bytes) {
  for (int shift = 8 * (n_bytes - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::byte>(value >> shift));
  }
}

Attribute integers(const std::string& name, const std::vector<Index>& values) {
  const bool are_small = std::all_of(values.begin(), values.end(),
                                     [](Index value) { return narrow<std::int32_t>(value).has_value(); });
  Attribute attribute{name, are_small ? Type::kInt : Type::kInt64, {}};
  for (const Index value : values) {
    append(static_cast<std::uint64_t>(value), are_small ? 4 : 8, attribute.values);
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
      append(std::bit_cast<std::uint64_t>(real), 8, attribute.values);
    }
  }
  return attribute;
}

std::vector<Attribute> to_attributes(const Attributes& attributes) {
  std::vector<Attribute> list;
  for (const auto& [name, value] : attributes) list.push_back(to_attribute(name, value));
  return list;
}

/// Puts a schema into a header, without places.
class Builder {
 public:
  explicit Builder(const Schema& schema) : schema_(schema) {}

  Result<CdfFile> build() {
    const auto& fields = schema_.fields();
    const bool has_records =
        std::any_of(fields.begin(), fields.end(), [](const Field& field) { return !field.fixed; });
    if (has_records) file_.header.dims.push_back({kTime, 0});
    first_dim_ = static_cast<int>(file_.header.dims.size());
    for (const Dimension& dim : schema_.dims()) file_.header.dims.push_back({dim.name, dim.size});
    file_.header.attributes = to_attributes(schema_.attributes());
    file_.header.attributes.push_back(to_attribute(kSchemaAttribute, print_schema_outline(schema_)));
    for (std::size_t g = 0; g < schema_.grids().size(); ++g) {
      ESKER_RETURN_IF_ERROR(add_coordinates(static_cast<int>(g)));
    }
    file_.variable_of_field.resize(fields.size());
    add_fields(true);
    if (has_records) {
      file_.time_variable = add({kTime, {0}, {}, Type::kDouble, 0});
      add_fields(false);
    }
    return std::move(file_);
  }

 private:
  using Dimension = esker::Dimension;

  int add(Variable variable) {
    file_.header.variables.push_back(std::move(variable));
    return static_cast<int>(file_.header.variables.size()) - 1;
  }

  Status add_coordinates(int number) {
    const Grid& grid = schema_.grids()[static_cast<std::size_t>(number)];
    for (const auto& [dim, values] : grid.coords) {
      const auto [first, is_new] = grid_of_coordinate_.emplace(dim, number);
      if (!is_new) {
        const Grid& other = schema_.grids()[static_cast<std::size_t>(first->second)];
        if (other.coords.at(dim) == values) continue;
        return error(Code::kInvalidArgument,
                     "dimension '{}' has other coordinates on grid '{}' than on grid '{}': in a CDF file it "
                     "has one variable for them",
                     dim, grid.name, other.name);
      }
      const int place = static_cast<int>(schema_.find_dim(dim) - schema_.dims().data());
      file_.coordinates.push_back({add({dim, {first_dim_ + place}, {}, Type::kDouble, 0}), number, dim});
    }
    return {};
  }

  /// One dimension for all fields of as many components.
  int component_dim(int components) {
    const auto [place, is_new] = component_dims_.emplace(components, file_.header.dims.size());
    if (is_new) file_.header.dims.push_back({"component_" + std::to_string(components), components});
    return place->second;
  }

  void add_fields(bool fixed) {
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      const Field& field = schema_.fields()[f];
      if (field.fixed != fixed) continue;
      Variable variable{field.name, {}, to_attributes(field.attributes), type_of(field.type), 0};
      if (!fixed) variable.dims.push_back(0);
      const std::vector<int>& dims = schema_.grids()[static_cast<std::size_t>(field.grid)].dims;
      for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) variable.dims.push_back(first_dim_ + *dim);
      if (field.components > 1) variable.dims.push_back(component_dim(field.components));
      file_.variable_of_field[f] = add(std::move(variable));
    }
  }

  const Schema& schema_;
  CdfFile file_;
  int first_dim_ = 0;  // of the schema's, in the header
  std::map<std::string, int> grid_of_coordinate_;
  std::map<int, int> component_dims_;
};

/// Where variables begin depends on the header's length, which does not depend on where they begin.
void place_variables(Header& header, const FileParameters& parameters) {
  Index end = static_cast<Index>(print_header(header).size()) + parameters.spare_header_bytes;
  const auto place = [&](Variable& variable, Index alignment) {
    variable.begin = round_up(end, alignment);
    end = variable.begin + round_up(header.value_bytes(variable), kAlignment);
  };
  for (Variable& variable : header.variables) {
    if (header.is_record(variable)) continue;
    const bool is_large = header.value_bytes(variable) >= parameters.alignment_bytes;
    place(variable, std::max(kAlignment, is_large ? parameters.alignment_bytes : kAlignment));
  }
  end = round_up(end, std::max(kAlignment, parameters.alignment_bytes));
  for (Variable& variable : header.variables) {
    if (header.is_record(variable)) place(variable, kAlignment);
  }
}

}  // namespace

Index CdfFile::offset_of(int variable, Index step) const {
  const Variable& of = header.variables[static_cast<std::size_t>(variable)];
  return of.begin + (header.is_record(of) ? step * header.record_bytes() : 0);
}

Index CdfFile::file_bytes(Index num_records) const {
  Index end = static_cast<Index>(print_header(header).size());
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable)) return variable.begin + num_records * header.record_bytes();
    end = std::max(end, variable.begin + header.value_bytes(variable));
  }
  return end;
}

Result<CdfFile> make_file(const Schema& schema, const FileParameters& parameters) {
  ESKER_ASSIGN_OR_RETURN(CdfFile file, Builder(schema).build());
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
    const bool is_coordinate = variable.type == Type::kDouble && variable.dims.size() == 1 &&
                               header.dims[static_cast<std::size_t>(variable.dims[0])].name == variable.name;
    if (!is_coordinate || !schema.find_dim(variable.name)) continue;
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
  const auto find = [&](int number) -> Result<int> {
    const Variable& like = wanted.header.variables[static_cast<std::size_t>(number)];
    for (std::size_t v = 0; v < header.variables.size(); ++v) {
      const Variable& variable = header.variables[v];
      if (variable.name != like.name || variable.type != like.type) continue;
      if (shape_of(header, variable) == shape_of(wanted.header, like)) return static_cast<int>(v);
    }
    return error(Code::kDataLoss, "no variable '{}' of the type and shape that the schema says", like.name);
  };
  CdfFile file{header, {}, -1, find_coordinates(schema, header)};
  for (const int number : wanted.variable_of_field) {
    ESKER_ASSIGN_OR_RETURN(const int found, find(number));
    file.variable_of_field.push_back(found);
  }
  if (wanted.time_variable >= 0) {
    ESKER_ASSIGN_OR_RETURN(file.time_variable, find(wanted.time_variable));
  }
  return file;
}

}  // namespace esker::cdf
