#include "esker/schema.hpp"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

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
                 "{} name '{}': expected 1 to {} letters, digits, '_', '.', '-', not with a '.' in front",
                 kind, excerpt(name), kMaxNameChars);
  }
  if (places.contains(name)) return error(Code::kAlreadyExists, "there is already a {} '{}'", kind, name);
  return {};
}

bool is_position(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }

/// Product of the dimensions' sizes; nothing if it does not fit.
std::optional<Index> num_samples(const std::vector<Dimension>& all, const std::vector<int>& dims) {
  std::optional<Index> product = 1;
  for (const int d : dims) {
    if (product) product = checked_mul(*product, all[static_cast<std::size_t>(d)].size);
  }
  return product;
}

}  // namespace

Status check_attribute(const std::string& name, const AttributeValue& value) {
  constexpr std::size_t kMaxAttributeNameBytes = 256;
  const auto is_text = [](const std::string& s) { return is_utf8(s) && s.find('\0') == std::string::npos; };
  if (name.empty() || name.size() > kMaxAttributeNameBytes || !is_text(name)) {
    return error(Code::kInvalidArgument, "attribute name '{}': expected 1 to {} bytes of UTF-8",
                 excerpt(name), kMaxAttributeNameBytes);
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text && !is_text(*text)) {
    return error(Code::kInvalidArgument, "attribute '{}': '{}' is not UTF-8 text", excerpt(name),
                 excerpt(*text));
  }
  const auto* integers = std::get_if<std::vector<Index>>(&value);
  const auto* reals = std::get_if<std::vector<double>>(&value);
  if ((integers && integers->empty()) || (reals && reals->empty())) {
    return error(Code::kInvalidArgument, "attribute '{}': expected one number or more, found none",
                 excerpt(name));
  }
  return {};
}

Result<DimId> Schema::add_dim(const std::string& name, Index size) {
  ESKER_RETURN_IF_ERROR(check_new_name(dim_places_, name, "dimension"));
  if (size < 1)
    return error(Code::kInvalidArgument, "dimension '{}': size {}, expected 1 or more", name, size);
  return DimId{append({name, size, {}}, dims_, dim_places_)};
}

Result<GridId> Schema::add_grid(const std::string& name, const std::vector<DimId>& dims) {
  ESKER_RETURN_IF_ERROR(check_new_name(grid_places_, name, "grid"));
  if (dims.empty() || dims.size() > kMaxRank) {
    return error(Code::kInvalidArgument, "grid '{}': {} dimensions, expected 1 to {}", name, dims.size(),
                 kMaxRank);
  }
  Grid grid;
  grid.name = name;
  for (const DimId dim : dims) {
    if (!is_position(dim.index, dims_.size())) {
      return error(Code::kInvalidArgument, "grid '{}': dimension {} is not defined", name, dim.index);
    }
    if (std::find(grid.dims.begin(), grid.dims.end(), dim.index) != grid.dims.end()) {
      return error(Code::kInvalidArgument, "grid '{}': dimension '{}' occurs twice", name,
                   dims_[static_cast<std::size_t>(dim.index)].name);
    }
    grid.dims.push_back(dim.index);
  }
  if (!num_samples(dims_, grid.dims)) {
    return error(Code::kInvalidArgument, "grid '{}': the number of its samples does not fit 64 bits", name);
  }
  return GridId{append(std::move(grid), grids_, grid_places_)};
}

Result<FieldId> Schema::add_field(Field field) {
  ESKER_RETURN_IF_ERROR(check_new_name(field_places_, field.name, "field"));
  if (!is_position(field.grid, grids_.size())) {
    return error(Code::kInvalidArgument, "field '{}': grid {} is not defined", field.name, field.grid);
  }
  if (field.type < SampleType::kInt8 || field.type > SampleType::kFloat64) {
    return error(Code::kInvalidArgument, "field '{}': type {} does not exist", field.name,
                 static_cast<int>(field.type));
  }
  if (field.components < 1 || field.every < 1) {
    return error(Code::kInvalidArgument,
                 "field '{}': {} components every {} steps, expected 1 or more of both", field.name,
                 field.components, field.every);
  }
  const auto samples = num_samples(dims_, grids_[static_cast<std::size_t>(field.grid)].dims);
  if (!samples || !checked_mul(*samples, field.sample_bytes())) {
    return error(Code::kInvalidArgument, "field '{}': its size in bytes does not fit 64 bits", field.name);
  }
  return FieldId{append(std::move(field), fields_, field_places_)};
}

Status Schema::set_coords(GridId grid_id, const std::string& dim, std::vector<double> values) {
  if (!is_position(grid_id.index, grids_.size())) {
    return error(Code::kInvalidArgument, "coordinates '{}': grid {} is not defined", excerpt(dim),
                 grid_id.index);
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

Result<Attributes*> Schema::attributes_of(DimId dim) {
  if (!is_position(dim.index, dims_.size())) {
    return error(Code::kInvalidArgument, "dimension {} is not defined", dim.index);
  }
  return &dims_[static_cast<std::size_t>(dim.index)].attributes;
}

Result<Attributes*> Schema::attributes_of(GridId grid) {
  if (!is_position(grid.index, grids_.size())) {
    return error(Code::kInvalidArgument, "grid {} is not defined", grid.index);
  }
  return &grids_[static_cast<std::size_t>(grid.index)].attributes;
}

Result<Attributes*> Schema::attributes_of(FieldId field) {
  if (!is_position(field.index, fields_.size())) {
    return error(Code::kInvalidArgument, "field {} is not defined", field.index);
  }
  return &fields_[static_cast<std::size_t>(field.index)].attributes;
}

Box Schema::box_of(const Grid& grid) const {
  Point extent{1, 1, 1, 1, 1};
  for (std::size_t a = 0; a < grid.dims.size(); ++a) {
    extent[a] = dims_[static_cast<std::size_t>(grid.dims[a])].size;
  }
  return Box::from_extent(rank_of(grid), extent);
}

}  // namespace esker
