#include "esker/types/schema.hpp"

#include <algorithm>

#include "base/checked.h"
#include "base/counting.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/cells.h"
#include "codec/codec_spec.h"

namespace esker {
namespace {

constexpr std::size_t kMaxNameChars = 128;

using Places = std::map<std::string, int>;

template <class T>
const T* find_named(const std::vector<T>& list, const Places& places, const std::string& name) {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &list[static_cast<std::size_t>(found->second)];
}

/// Adds an element whose name is new; returns its position.
template <class T>
int append(T element, std::vector<T>& list, Places& places) {
  const auto place = static_cast<int>(list.size());
  places.emplace(element.name, place);
  list.push_back(std::move(element));
  return place;
}

/// Whether the list with these `places` may get an element of that name.
Status check_new_name(const Places& places, const std::string& name, const char* kind) {
  if (name.empty() || name.size() > kMaxNameChars || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), is_name_character)) {
    return error(Code::kInvalidArgument,
                 "{} name '{}': expected 1 to {} letters, digits, '_', '.', '-', not starting with '.'", kind,
                 excerpt(name), kMaxNameChars);
  }
  if (places.contains(name)) return error(Code::kAlreadyExists, "{} '{}' already exists", kind, name);
  return {};
}

Status no_time_for(const Field& field) {
  return error(Code::kInvalidArgument, "field '{}' varies in time, but the dataset has no times", field.name);
}

bool is_position(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }

/// Product of the dimensions' sizes; nothing if it overflows.
std::optional<Index> num_samples(const std::vector<Dimension>& all, const std::vector<int>& dims) {
  std::optional<Index> product = 1;
  for (const int d : dims) {
    if (product) product = checked_mul(*product, all[static_cast<std::size_t>(d)].size);
  }
  return product;
}

}  // namespace

Result<DimId> Schema::add_dim(const std::string& name, Index size) {
  ESKER_RETURN_IF_ERROR(check_new_name(dim_places_, name, "dimension"));
  if (size < 1)
    return error(Code::kInvalidArgument, "dimension '{}': size {}, expected 1 or more", name, size);
  return DimId{append({name, size, {}}, dims_, dim_places_)};
}

Result<DimId> Schema::add_implicit_dim(const std::string& name) {
  const auto known =
      std::find_if(dims_.begin(), dims_.end(), [](const Dimension& dim) { return dim.implicit; });
  if (known != dims_.end()) return DimId{static_cast<int>(known - dims_.begin())};
  std::string unused = name;
  while (dim_places_.contains(unused)) unused += '_';
  ESKER_ASSIGN_OR_RETURN(const DimId dim, add_dim(unused, 1));
  dims_.back().implicit = true;
  return dim;
}

Result<GridId> Schema::add_grid(const std::string& name, const std::vector<DimId>& dims) {
  ESKER_ASSIGN_OR_RETURN(Grid grid, make_grid(name, dims));
  if (!num_samples(dims_, grid.dims)) {
    return error(Code::kInvalidArgument, "grid '{}': the number of samples exceeds 64 bits", name);
  }
  return GridId{append(std::move(grid), grids_, grid_places_)};
}

Result<Grid> Schema::make_grid(const std::string& name, const std::vector<DimId>& dims) {
  ESKER_RETURN_IF_ERROR(check_new_name(grid_places_, name, "grid"));
  if (dims.size() > kMaxRank) {
    return error(Code::kInvalidArgument, "grid '{}': {} dimensions, at most {} are supported", name,
                 dims.size(), kMaxRank);
  }
  Grid grid;
  grid.name = name;
  if (dims.empty()) {
    ESKER_ASSIGN_OR_RETURN(const DimId dim, add_implicit_dim());
    grid.dims.push_back(dim.index);
  }
  for (const DimId dim : dims) {
    if (!is_position(dim.index, dims_.size())) {
      return error(Code::kInvalidArgument, "grid '{}': dimension {} is not defined", name,
                   counted(dim.index));
    }
    if (std::find(grid.dims.begin(), grid.dims.end(), dim.index) != grid.dims.end()) {
      return error(Code::kInvalidArgument, "grid '{}': dimension '{}' occurs twice", name,
                   dims_[static_cast<std::size_t>(dim.index)].name);
    }
    grid.dims.push_back(dim.index);
  }
  return grid;
}

namespace {

Status check_compression_of(const std::string& field, const std::string& compression) {
  if (compression.empty()) return {};
  return parse_compression_option(compression).status().with_context("field '" + field + "'");
}

Status check_stored_bits(const Field& field, int rank) {
  if (field.stored_bits == 0) return {};
  const std::string context = "field '" + field.name + "'";
  if (!field.compression.empty() && field.compression != "none") {
    return error(Code::kInvalidArgument, "{}: stored_bits and compression {} are given; set only one of them",
                 context, field.compression);
  }
  return check_cell_form({field.type, rank, field.stored_bits}).with_context(context);
}

}  // namespace

Result<GridId> Schema::add_mesh(const std::string& name, const Mesh& mesh) {
  const auto where = [&](const Status& status) { return status.with_context("mesh '" + name + "'"); };
  ESKER_RETURN_IF_ERROR(where(mesh.check()));
  ESKER_RETURN_IF_ERROR(check_new_name(grid_places_, name, "grid"));
  for (const std::string& axis : mesh.axes) {
    const bool is_taken = std::count(mesh.axes.begin(), mesh.axes.end(), axis) > 1;
    if (is_taken) return where(error(Code::kAlreadyExists, "two axes have the name '{}'", axis));
    ESKER_RETURN_IF_ERROR(check_new_name(dim_places_, axis, "dimension"));
  }
  const Box finest = mesh.domain(mesh.num_levels() - 1);
  std::vector<DimId> dims;
  for (int a = 0; a < mesh.rank(); ++a) {
    ESKER_ASSIGN_OR_RETURN(const DimId dim, add_dim(mesh.axes[static_cast<std::size_t>(a)], finest.hi[a]));
    dims.push_back(dim);
  }
  return add_mesh(name, dims, mesh);
}

Result<GridId> Schema::add_mesh(const std::string& name, const std::vector<DimId>& dims, const Mesh& mesh) {
  const std::string where = "mesh '" + name + "'";
  ESKER_RETURN_IF_ERROR(mesh.check().with_context(where));
  ESKER_ASSIGN_OR_RETURN(Grid grid, make_grid(name, dims));
  const Box finest = mesh.domain(mesh.num_levels() - 1);
  if (!(box_of(grid) == finest)) {
    return error(Code::kInvalidArgument, "{}: the grid is {}, the finest level {}", where,
                 box_of(grid).to_string(), finest.to_string());
  }
  grid.mesh = mesh;
  return GridId{append(std::move(grid), grids_, grid_places_)};
}

Status Schema::set_nested(GridId id) {
  if (!is_position(id.index, grids_.size())) {
    return error(Code::kInvalidArgument, "no grid has the handle {}", counted(id.index));
  }
  Grid& grid = grids_[static_cast<std::size_t>(id.index)];
  if (!grid.mesh) return error(Code::kInvalidArgument, "grid '{}' is not that of a mesh", grid.name);
  grid.mesh->nested = true;
  return {};
}

Result<FieldId> Schema::add_field(Field field) {
  ESKER_RETURN_IF_ERROR(check_new_name(field_places_, field.name, "field"));
  if (scalar_places_.contains(field.name)) {
    return error(Code::kAlreadyExists, "scalar '{}' already exists", field.name);
  }
  if (!is_position(field.grid, grids_.size())) {
    return error(Code::kInvalidArgument, "field '{}': grid {} is not defined", field.name,
                 counted(field.grid));
  }
  if (field.type < SampleType::kInt8 || field.type > SampleType::kFloat64) {
    return error(Code::kInvalidArgument, "field '{}': type {} does not exist", field.name,
                 static_cast<int>(field.type));
  }
  if (field.components < 1 || field.every < 1) {
    return error(Code::kInvalidArgument,
                 "field '{}': {} components every {} steps, expected 1 or more for each", field.name,
                 field.components, field.every);
  }
  ESKER_RETURN_IF_ERROR(check_compression_of(field.name, field.compression));
  const auto rank = static_cast<int>(grids_[static_cast<std::size_t>(field.grid)].dims.size());
  ESKER_RETURN_IF_ERROR(check_stored_bits(field, rank));
  if (field.fixed && has_no_axes(grids_[static_cast<std::size_t>(field.grid)])) {
    return error(Code::kInvalidArgument, "field '{}': a fixed value without axes is a scalar, not a field",
                 field.name);
  }
  if (!field.fixed && time_name_.empty()) return no_time_for(field);
  const Grid& grid = grids_[static_cast<std::size_t>(field.grid)];
  const auto samples = num_samples(dims_, grid.dims);
  if (grid.mesh) return FieldId{append(std::move(field), fields_, field_places_)};
  if (!samples || !checked_mul(*samples, field.sample_bytes())) {
    return error(Code::kInvalidArgument, "field '{}': the size in bytes exceeds 64 bits", field.name);
  }
  return FieldId{append(std::move(field), fields_, field_places_)};
}

Status Schema::set_stored_bits(FieldId id, int bits) {
  if (!is_position(id.index, fields_.size())) {
    return error(Code::kInvalidArgument, "stored_bits: field {} is not defined", counted(id.index));
  }
  Field& field = fields_[static_cast<std::size_t>(id.index)];
  Field changed = field;
  changed.stored_bits = bits;
  ESKER_RETURN_IF_ERROR(check_stored_bits(changed, rank_of(grids_[static_cast<std::size_t>(field.grid)])));
  field.stored_bits = bits;
  return {};
}

Status Schema::set_compression(FieldId field, const std::string& compression) {
  if (!is_position(field.index, fields_.size())) {
    return error(Code::kInvalidArgument, "compression: field {} is not defined", counted(field.index));
  }
  Field& found = fields_[static_cast<std::size_t>(field.index)];
  ESKER_RETURN_IF_ERROR(check_compression_of(found.name, compression));
  Field changed = found;
  changed.compression = compression;
  ESKER_RETURN_IF_ERROR(check_stored_bits(changed, rank_of(grids_[static_cast<std::size_t>(found.grid)])));
  found.compression = compression;
  return {};
}

Status Schema::set_default_compression(const std::string& compression) {
  ESKER_RETURN_IF_ERROR(parse_compression_option(compression).status());
  for (Field& field : fields_) {
    if (field.compression.empty()) field.compression = field.stored_bits > 0 ? "none" : compression;
  }
  return {};
}

Result<ScalarId> Schema::add_scalar(Scalar scalar) {
  ESKER_RETURN_IF_ERROR(check_new_name(scalar_places_, scalar.name, "scalar"));
  if (field_places_.contains(scalar.name)) {
    return error(Code::kAlreadyExists, "field '{}' already exists", scalar.name);
  }
  ESKER_RETURN_IF_ERROR(check_attribute("value", scalar.value).with_context("scalar '" + scalar.name + "'"));
  const std::size_t count =
      std::visit([](const auto& list) { return list.size(); }, numbers_of(scalar.value));
  if (!text_of(scalar.value) && count != 1) {
    return error(Code::kInvalidArgument, "scalar '{}': {} values, expected 1", scalar.name, count);
  }
  return ScalarId{append(std::move(scalar), scalars_, scalar_places_)};
}

Status Schema::set_time(const std::string& name, SampleType type) {
  if (!name.empty()) ESKER_RETURN_IF_ERROR(check_new_name({}, name, "time dimension"));
  const auto varies = [](const Field& field) { return !field.fixed; };
  const auto first = std::find_if(fields_.begin(), fields_.end(), varies);
  if (name.empty() && first != fields_.end()) return no_time_for(*first);
  if (type < SampleType::kInt8 || type > SampleType::kFloat64) {
    return error(Code::kInvalidArgument, "time '{}': type {} does not exist", name, static_cast<int>(type));
  }
  time_name_ = name;
  time_type_ = type;
  return {};
}

Status Schema::set_coords(GridId grid_id, const std::string& dim, Numbers values) {
  if (auto* reals = std::get_if<std::vector<double>>(&values)) {
    return set_coords(grid_id, dim, std::move(*reals));
  }
  ESKER_RETURN_IF_ERROR(set_coords(grid_id, dim, to_reals(values)));
  grids_[static_cast<std::size_t>(grid_id.index)].typed_coords[dim] = std::move(values);
  return {};
}

Status Schema::set_coords(GridId grid_id, const std::string& dim, std::vector<double> values) {
  if (!is_position(grid_id.index, grids_.size())) {
    return error(Code::kInvalidArgument, "coordinates '{}': grid {} is not defined", excerpt(dim),
                 counted(grid_id.index));
  }
  Grid& grid = grids_[static_cast<std::size_t>(grid_id.index)];
  const auto found = std::find_if(grid.dims.begin(), grid.dims.end(),
                                  [&](int d) { return dims_[static_cast<std::size_t>(d)].name == dim; });
  if (found == grid.dims.end()) {
    return error(Code::kInvalidArgument, "grid '{}' has no dimension '{}'", grid.name, excerpt(dim));
  }
  const Index size = dims_[static_cast<std::size_t>(*found)].size;
  if (static_cast<Index>(values.size()) != size) {
    return error(Code::kInvalidArgument, "coordinates '{}' of grid '{}': {} values, expected {}", dim,
                 grid.name, values.size(), size);
  }
  grid.coords[dim] = std::move(values);
  grid.typed_coords.erase(dim);
  return {};
}

const Dimension* Schema::find_dim(const std::string& name) const {
  return find_named(dims_, dim_places_, name);
}
const Grid* Schema::find_grid(const std::string& name) const {
  return find_named(grids_, grid_places_, name);
}
const Field* Schema::find_field(const std::string& name) const {
  return find_named(fields_, field_places_, name);
}

const Scalar* Schema::find_scalar(const std::string& name) const {
  return find_named(scalars_, scalar_places_, name);
}

Result<Attributes*> Schema::attributes_of(ScalarId scalar) {
  if (!is_position(scalar.index, scalars_.size())) {
    return error(Code::kInvalidArgument, "scalar {} is not defined", counted(scalar.index));
  }
  return &scalars_[static_cast<std::size_t>(scalar.index)].attributes;
}

Result<Attributes*> Schema::attributes_of(DimId dim) {
  if (!is_position(dim.index, dims_.size())) {
    return error(Code::kInvalidArgument, "dimension {} is not defined", counted(dim.index));
  }
  return &dims_[static_cast<std::size_t>(dim.index)].attributes;
}

Result<Attributes*> Schema::attributes_of(GridId grid) {
  if (!is_position(grid.index, grids_.size())) {
    return error(Code::kInvalidArgument, "grid {} is not defined", counted(grid.index));
  }
  return &grids_[static_cast<std::size_t>(grid.index)].attributes;
}

Result<Attributes*> Schema::attributes_of(FieldId field) {
  if (!is_position(field.index, fields_.size())) {
    return error(Code::kInvalidArgument, "field {} is not defined", counted(field.index));
  }
  return &fields_[static_cast<std::size_t>(field.index)].attributes;
}

bool Schema::has_no_axes(const Grid& grid) const {
  return grid.dims.size() == 1 && dims_[static_cast<std::size_t>(grid.dims[0])].implicit;
}

Box Schema::box_of(const Grid& grid) const {
  Point extent{1, 1, 1, 1, 1};
  for (std::size_t a = 0; a < grid.dims.size(); ++a) {
    extent[a] = dims_[static_cast<std::size_t>(grid.dims[a])].size;
  }
  return Box::from_extent(rank_of(grid), extent);
}

}  // namespace esker
