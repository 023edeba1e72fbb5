#include "formats/netcdf/model/outline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/foreign_names.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "format/schema_json.h"

namespace esker::netcdf {
namespace {

constexpr int kOutlineFormat = 3;
constexpr const char* kOutlineDims = "dimensions";
constexpr const char* kOutlineGrids = "grids";
constexpr const char* kOutlineFields = "fields";
constexpr const char* kFixedAt = "fixed_at";
constexpr const char* kGrid = "grid";
constexpr const char* kEvery = "every";
constexpr const char* kCompression = "compression";
constexpr Index kAnyInt = std::numeric_limits<int>::max();

using Names = std::vector<std::string>;

/// What is said of a field.
struct FieldNote {
  std::string grid = {};  // unless it is the first grid with the axes of the variable
  Index every = 1;
  std::string compression = {};
  bool operator==(const FieldNote&) const = default;
};

struct NamedAxes {
  std::string grid;
  Names axes;  // the fastest first
};

struct Outline {
  std::vector<NamedAxes> grids;
  Names dims;                    // all axes; one that is no dimension of the file is implicit
  std::vector<Index> fixed_at;   // positions of fixed fields
  std::string compression = {};  // of all fields
  std::map<std::string, FieldNote> notes = {};
};

/// The axes in the order in which grids first have them.
Names dims_of(const std::vector<NamedAxes>& grids) {
  Names dims;
  for (const NamedAxes& grid : grids) {
    for (const std::string& axis : grid.axes) {
      if (std::find(dims.begin(), dims.end(), axis) == dims.end()) dims.push_back(axis);
    }
  }
  return dims;
}

/// Fixed fields come first.
std::vector<Index> first(Index n) {
  std::vector<Index> positions;
  for (Index p = 0; p < n; ++p) positions.push_back(p);
  return positions;
}

std::string compression_of(const Field& field) {
  return field.compression == "none" ? "" : field.compression;
}

/// Of all fields; empty if they differ.
std::string common_compression(const std::vector<Field>& fields) {
  if (fields.empty()) return "";
  const std::string first = compression_of(fields[0]);
  const auto is_other = [&](const Field& field) { return compression_of(field) != first; };
  return std::any_of(fields.begin(), fields.end(), is_other) ? "" : first;
}

Outline describe(const Schema& schema) {
  Outline outline;
  outline.compression = common_compression(schema.fields());
  for (const esker::Dimension& dim : schema.dims()) outline.dims.push_back(dim.name);
  std::map<std::vector<int>, const Grid*> first_on;
  for (const Grid& grid : schema.grids()) {
    first_on.emplace(grid.dims, &grid);
    Names& axes = outline.grids.emplace_back(NamedAxes{grid.name, {}}).axes;
    for (const int dim : grid.dims) axes.push_back(schema.dims()[static_cast<std::size_t>(dim)].name);
  }
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    const Grid& grid = schema.grid_of(field);
    if (field.fixed) outline.fixed_at.push_back(static_cast<Index>(f));
    const FieldNote note{first_on.at(grid.dims) == &grid ? "" : grid.name, field.every,
                         outline.compression.empty() ? compression_of(field) : ""};
    if (note != FieldNote()) outline.notes[field.name] = note;
  }
  return outline;
}

void print_note(JsonWriter& json, const FieldNote& note) {
  json.object([&] {
    if (!note.grid.empty()) json.key(kGrid).text(note.grid);
    if (note.every != 1) json.key(kEvery).integer(note.every);
    if (!note.compression.empty()) json.key(kCompression).text(note.compression);
  });
}

std::string print(const Outline& outline) {
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(kOutlineFormat);
    json.key(kOutlineGrids).array([&] {
      for (const NamedAxes& grid : outline.grids) {
        json.object([&] { json.key(grid.grid).texts(grid.axes); });
      }
    });
    if (outline.dims != dims_of(outline.grids)) json.key(kOutlineDims).texts(outline.dims);
    const auto num_fixed = static_cast<Index>(outline.fixed_at.size());
    if (outline.fixed_at != first(num_fixed)) json.key(kFixedAt).numbers(Numbers(outline.fixed_at));
    if (!outline.compression.empty()) json.key(kCompression).text(outline.compression);
    if (outline.notes.empty()) return;
    json.key(kOutlineFields).object([&] {
      for (const auto& [name, note] : outline.notes) print_note(json.key(name), note);
    });
  });
  return json.take();
}

Result<FieldNote> parse_note(const Json& json) {
  if (!json.is_object()) return error(Code::kDataLoss, "expected an object");
  FieldNote note;
  if (json.contains(kGrid)) {
    ESKER_ASSIGN_OR_RETURN(note.grid, get_text(json, kGrid));
  }
  if (json.contains(kEvery)) {
    ESKER_ASSIGN_OR_RETURN(note.every, get_integer(json, kEvery, 1, kAnyInt));
  }
  if (json.contains(kCompression)) {
    ESKER_ASSIGN_OR_RETURN(note.compression, get_text(json, kCompression));
  }
  return note;
}

Status parse_notes(const Json& json, std::map<std::string, FieldNote>& notes) {
  if (!json.contains(kOutlineFields)) return {};
  ESKER_ASSIGN_OR_RETURN(const Json* fields, get_object(json, kOutlineFields));
  for (const auto& item : fields->items()) {
    auto note = parse_note(item.value());
    if (!note.ok()) return note.status().with_context("'" + excerpt(item.key()) + "'");
    notes.emplace(item.key(), *std::move(note));
  }
  return {};
}

Result<Outline> parse(const Json& json) {
  Outline outline;
  ESKER_ASSIGN_OR_RETURN(const Json* grids, get_array(json, kOutlineGrids));
  for (const Json& grid : *grids) {
    if (!grid.is_object() || grid.size() != 1) {
      return error(Code::kDataLoss, "'{}': expected objects of one member", kOutlineGrids);
    }
    const std::string name = grid.begin().key();
    ESKER_ASSIGN_OR_RETURN(Names axes, get_texts(grid, name.c_str()));
    outline.grids.push_back({name, std::move(axes)});
  }
  outline.dims = dims_of(outline.grids);
  if (json.contains(kOutlineDims)) {
    ESKER_ASSIGN_OR_RETURN(outline.dims, get_texts(json, kOutlineDims));
  }
  if (json.contains(kFixedAt)) {
    ESKER_ASSIGN_OR_RETURN(outline.fixed_at, get_integers(json, kFixedAt));
  }
  if (json.contains(kCompression)) {
    ESKER_ASSIGN_OR_RETURN(outline.compression, get_text(json, kCompression));
  }
  ESKER_RETURN_IF_ERROR(parse_notes(json, outline.notes));
  return outline;
}

/// Makes the schema of a header and an outline.
class SchemaMaker {
 public:
  SchemaMaker(const Outline& outline, const Header& header, const ReadValues& read_values)
      : outline_(outline), header_(header), read_values_(read_values) {}

  Result<Schema> build() {
    ESKER_RETURN_IF_ERROR(set_time());
    ESKER_RETURN_IF_ERROR(add_dims());
    for (const NamedAxes& grid : outline_.grids) ESKER_RETURN_IF_ERROR(add_grid(grid));
    for (std::size_t v = 0; v < header_.variables.size(); ++v) {
      const Variable& variable = header_.variables[v];
      if (header_.is_scalar(variable)) {
        ESKER_RETURN_IF_ERROR(add_scalar(static_cast<int>(v)));
      } else if (!header_.is_coordinate(variable)) {
        ESKER_RETURN_IF_ERROR(make_field(variable));
      }
    }
    ESKER_RETURN_IF_ERROR(add_fields());
    return std::move(schema_);
  }

 private:
  Status set_time() {
    const auto records = header_.record_dim();
    if (!records) return schema_.set_time("", SampleType::kFloat64);
    SampleType type = SampleType::kFloat64;
    for (const Variable& variable : header_.variables) {
      if (header_.is_coordinate(variable) && variable.dims[0] == *records)
        type = sample_type_of(variable.type).value_or(type);
    }
    return schema_.set_time(header_.dims[static_cast<std::size_t>(*records)].name, type);
  }

  Status add_dims() {
    std::map<std::string, int> places;
    for (std::size_t d = 0; d < header_.dims.size(); ++d) {
      places.emplace(header_.dims[d].name, static_cast<int>(d));
    }
    for (const std::string& name : outline_.dims) {
      const auto place = places.find(name);
      const bool is_implicit = place == places.end();
      const Index length = is_implicit ? 1 : header_.dims[static_cast<std::size_t>(place->second)].length;
      ESKER_ASSIGN_OR_RETURN(const DimId dim,
                             is_implicit ? schema_.add_implicit_dim(name) : schema_.add_dim(name, length));
      dims_.emplace(name, dim);
      if (!is_implicit) dim_at_.emplace(place->second, dim);
    }
    return {};
  }

  Status add_grid(const NamedAxes& named) {
    std::vector<DimId> dims;
    for (const std::string& axis : named.axes) {
      const auto dim = dims_.find(axis);
      if (dim == dims_.end()) return error(Code::kDataLoss, "no dimension '{}'", excerpt(axis));
      dims.push_back(dim->second);
    }
    ESKER_ASSIGN_OR_RETURN(const GridId grid, schema_.add_grid(named.grid, dims));
    std::vector<int> axes;
    if (!schema_.has_no_axes(schema_.grids().back())) axes = schema_.grids().back().dims;
    grids_.emplace(std::move(axes), grid.index);
    return {};
  }

  Status add_scalar(int number) {
    ESKER_ASSIGN_OR_RETURN(AttributeValue value, read_values_(number, 0));
    return schema_
        .add_scalar({schema_name(header_.variables[static_cast<std::size_t>(number)].name), std::move(value)})
        .status();
  }

  /// The first grid with the variable's axes, or with all but the fastest, which is then that of components.
  Status place(const Variable& variable, const FieldNote& note, Field& field) const {
    const auto end = variable.dims.rend() - (field.fixed ? 0 : 1);
    std::vector<int> axes;
    for (auto dim = variable.dims.rbegin(); dim != end; ++dim) {
      const auto known = dim_at_.find(*dim);
      axes.push_back(known == dim_at_.end() ? -1 : known->second.index);
    }
    auto grid = grids_.find(axes);
    if (grid == grids_.end() && !axes.empty()) {
      const Index length = header_.dims[static_cast<std::size_t>(variable.dims.back())].length;
      field.components = static_cast<int>(std::min(length, kAnyInt));
      axes.erase(axes.begin());
      grid = grids_.find(axes);
    }
    if (grid == grids_.end())
      return error(Code::kDataLoss, "no grid has the axes of variable '{}'", field.name);
    field.grid = grid->second;
    if (note.grid.empty()) return {};
    const Grid* named = schema_.find_grid(note.grid);
    if (!named) return error(Code::kDataLoss, "no grid '{}'", excerpt(note.grid));
    field.grid = static_cast<int>(named - schema_.grids().data());
    return {};
  }

  Status make_field(const Variable& variable) {
    Field field;
    field.name = schema_name(variable.name);
    field.type = sample_type_of(variable.type).value_or(SampleType::kUint8);  // characters
    field.fixed = !header_.is_record(variable);
    const auto found = outline_.notes.find(field.name);
    const FieldNote note = found == outline_.notes.end() ? FieldNote() : found->second;
    ESKER_RETURN_IF_ERROR(place(variable, note, field));
    field.every = static_cast<int>(note.every);
    field.compression = note.compression.empty() ? outline_.compression : note.compression;
    if (field.compression.empty()) field.compression = "none";
    (field.fixed ? fixed_ : others_).push_back(std::move(field));
    return {};
  }

  Status add_fields() {
    const std::vector<Index> positions =
        outline_.fixed_at.empty() ? first(static_cast<Index>(fixed_.size())) : outline_.fixed_at;
    if (positions.size() != fixed_.size()) {
      return error(Code::kDataLoss, "expected {} fixed fields, found {}", positions.size(), fixed_.size());
    }
    auto fixed = fixed_.begin(), other = others_.begin();
    for (Index p = 0; fixed != fixed_.end() || other != others_.end(); ++p) {
      const bool is_fixed = std::binary_search(positions.begin(), positions.end(), p);
      if (other == others_.end() || (is_fixed && fixed != fixed_.end())) {
        ESKER_RETURN_IF_ERROR(schema_.add_field(std::move(*fixed++)).status());
      } else {
        ESKER_RETURN_IF_ERROR(schema_.add_field(std::move(*other++)).status());
      }
    }
    return {};
  }

  const Outline& outline_;
  const Header& header_;
  const ReadValues& read_values_;
  Schema schema_;
  std::map<std::string, DimId> dims_;
  std::map<int, DimId> dim_at_;            // by position in the header
  std::map<std::vector<int>, int> grids_;  // the first on these axes, the fastest first
  std::vector<Field> fixed_, others_;
};

/// CDF-1 and CDF-2 store these types as they are.
bool keeps_type(SampleType type) { return type_of(type) <= Type::kDouble; }

/// Whether the file's variables have the scalar in its type.
bool is_in_file(const Scalar& scalar) {
  if (std::holds_alternative<std::string>(scalar.value)) return true;
  const bool is_text = text_of(scalar.value) || std::holds_alternative<TextList>(scalar.value);
  return !is_text && keeps_type(esker::type_of(numbers_of(scalar.value)));
}

/// Whether variables have all dimensions.
bool are_used(const Header& header) {
  std::vector<bool> is_used(header.dims.size(), false);
  for (const Variable& variable : header.variables) {
    for (const int dim : variable.dims) is_used[static_cast<std::size_t>(dim)] = true;
  }
  return std::find(is_used.begin(), is_used.end(), false) == is_used.end();
}

/// Whether variables have what format 3 does not say, in every format of files.
bool is_expressed(const Schema& schema, const Header& header) {
  const auto& scalars = schema.scalars();
  return are_used(header) && keeps_type(schema.time_type()) &&
         std::all_of(scalars.begin(), scalars.end(), is_in_file);
}

}  // namespace

ReadValues no_values(const Header& header) {
  return [&header](int number, Index) -> Result<AttributeValue> {
    const Variable& variable = header.variables[static_cast<std::size_t>(number)];
    const auto type = sample_type_of(variable.type);
    if (!type) return AttributeValue(std::string(" "));
    ESKER_ASSIGN_OR_RETURN(const Numbers zero, to_type(Numbers(std::vector<Index>{0}), *type));
    return esker::to_value(zero);
  };
}

// Format 3 holds a schema if it comes back from it.
std::string print_outline(const Schema& schema, const Header& header) {
  const std::string complete = print_schema_outline(schema);
  if (!is_expressed(schema, header)) return complete;
  const Outline outline = describe(schema);
  const ReadValues values = [&](int number, Index) -> Result<AttributeValue> {
    const Scalar* scalar =
        schema.find_scalar(schema_name(header.variables[static_cast<std::size_t>(number)].name));
    return scalar ? Result<AttributeValue>(scalar->value) : error(Code::kInvalidArgument, "no scalar");
  };
  const auto again = SchemaMaker(outline, header, values).build();
  if (!again.ok() || print_schema_outline(*again) != complete) return complete;
  std::string text = print(outline);
  return text.size() < complete.size() ? text : complete;
}

Result<Schema> read_outline(const std::string& text, const Header& header, const ReadValues& read_values) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxSidecarBytes));
  ESKER_RETURN_IF_ERROR(check_format(holder.json, kOutlineFormat));
  ESKER_ASSIGN_OR_RETURN(const Index format, get_integer(holder.json, "format", 1, kOutlineFormat));
  if (format < kOutlineFormat) return read_schema(holder.json);
  ESKER_ASSIGN_OR_RETURN(const Outline outline, parse(holder.json));
  return SchemaMaker(outline, header, read_values).build();
}

}  // namespace esker::netcdf
