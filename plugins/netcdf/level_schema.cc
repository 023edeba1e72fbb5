#include "level_schema.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/stored_schema.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf_plugin {
namespace {

/// The field with the most samples; null: there is none. Characters of texts count less than numbers.
const Field* largest_field(const Schema& schema) {
  const auto order = [&](const Field& field) {
    double samples = 1;  // of a mesh there may be more than 2^63
    const Box box = schema.box_of(schema.grid_of(field));
    for (int axis = 0; axis < box.rank; ++axis) samples *= static_cast<double>(box.extent(axis));
    return std::pair(!netcdf::has_characters(field), samples);
  };
  const Field* largest = nullptr;
  for (const Field& field : schema.fields()) {
    if (!largest || order(*largest) < order(field)) largest = &field;
  }
  return largest;
}

std::vector<DimPart> whole(const Dataset& dataset) {
  const Schema& schema = dataset.schema();
  std::vector<DimPart> parts;
  for (const Dimension& dim : schema.dims()) parts.push_back({0, 0, 1, dim.size});
  for (const Field& field : schema.fields()) {
    const auto box = dataset.box(field.name);
    if (!box.ok()) continue;
    const std::vector<int>& dims = schema.grid_of(field).dims;
    for (int axis = 0; axis < box->rank; ++axis) {
      const Index origin = box->lo[static_cast<std::size_t>(axis)];
      parts[static_cast<std::size_t>(dims[static_cast<std::size_t>(axis)])] = {origin, origin, 1,
                                                                               box->extent(axis)};
    }
  }
  return parts;
}

Numbers picked(const Numbers& values, const DimPart& part) {
  return std::visit(
      [&](const auto& all) -> Numbers {
        std::remove_cvref_t<decltype(all)> some;
        for (Index i = 0; i < part.count; ++i) {
          some.push_back(all[static_cast<std::size_t>(part.first - part.origin + i * part.stride)]);
        }
        return some;
      },
      values);
}

class LevelSchema {
 public:
  LevelSchema(const Schema& of, const std::vector<DimPart>& parts) : of_(of), parts_(parts) {}

  Result<Schema> make() {
    ESKER_RETURN_IF_ERROR(schema_.set_time(of_.time_name(), of_.time_type()));
    schema_.attributes() = of_.attributes();
    schema_.time_attributes() = of_.time_attributes();
    for (std::size_t d = 0; d < of_.dims().size(); ++d) {
      const Dimension& dim = of_.dims()[d];
      if (dim.implicit) {
        ESKER_RETURN_IF_ERROR(schema_.add_implicit_dim(dim.name).status());
      } else {
        ESKER_RETURN_IF_ERROR(add_dim(d, dim.name).status());
      }
    }
    for (const Grid& grid : of_.grids()) ESKER_RETURN_IF_ERROR(add_grid(grid));
    for (Field field : of_.fields()) {
      field.compression.clear();
      field.stored_bits = 0;
      ESKER_RETURN_IF_ERROR(schema_.add_field(std::move(field)).status());
    }
    for (const Scalar& scalar : of_.scalars()) ESKER_RETURN_IF_ERROR(schema_.add_scalar(scalar).status());
    return std::move(schema_);
  }

 private:
  Result<DimId> add_dim(std::size_t number, const std::string& name) {
    ESKER_ASSIGN_OR_RETURN(const DimId added, schema_.add_dim(name, parts_[number].count));
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema_.attributes_of(added));
    *attributes = of_.dims()[number].attributes;
    return added;
  }

  /// With the dimension's own name unless another grid has other coordinates for it.
  Status add_grid(const Grid& grid) {
    std::vector<DimId> dims;
    std::vector<std::pair<std::string, Numbers>> coords;
    for (const int d : grid.dims) {
      const auto number = static_cast<std::size_t>(d);
      const std::string& name = of_.dims()[number].name;
      dims.push_back({d});
      if (!grid.coords.contains(name) || of_.dims()[number].implicit) continue;
      Numbers values = picked(netcdf::coordinates_of(grid, name), parts_[number]);
      const auto [first, is_new] = coords_of_dim_.emplace(d, values);
      if (is_new || first->second == values) {
        coords.emplace_back(name, std::move(values));
        continue;
      }
      const std::string other = name + "_" + grid.name;
      ESKER_ASSIGN_OR_RETURN(dims.back(), add_dim(number, other));
      coords.emplace_back(other, std::move(values));
    }
    const bool has_axes = !of_.has_no_axes(grid);
    ESKER_ASSIGN_OR_RETURN(const GridId added,
                           schema_.add_grid(grid.name, has_axes ? dims : std::vector<DimId>{}));
    for (auto& [name, values] : coords) {
      ESKER_RETURN_IF_ERROR(schema_.set_coords(added, name, std::move(values)));
    }
    return {};
  }

  const Schema& of_;
  const std::vector<DimPart>& parts_;
  Schema schema_;
  std::map<int, Numbers> coords_of_dim_;  // of the first grid that has some
};

}  // namespace

Result<std::vector<DimPart>> dim_parts(const Dataset& dataset, const Door& door) {
  const Schema& schema = dataset.schema();
  std::vector<DimPart> parts = whole(dataset);
  const Field* field = largest_field(schema);
  if (!field || (!door.level && door.box.empty())) return parts;
  Query query{.field = field->name, .level = door.level};
  const std::vector<int>& dims = schema.grid_of(*field).dims;
  if (!door.box.empty()) {
    if (door.box.size() != 2 * dims.size()) {
      return error(Code::kOutOfRange, "the box has {} axes, but field '{}' has {}", door.box.size() / 2,
                   field->name, dims.size());
    }
    Box box = schema.box_of(schema.grid_of(*field));
    std::copy_n(door.box.begin(), dims.size(), box.lo.begin());
    std::copy_n(door.box.begin() + static_cast<std::ptrdiff_t>(dims.size()), dims.size(), box.hi.begin());
    query.box = box;
  }
  ESKER_ASSIGN_OR_RETURN(const Lattice chosen, dataset.select(query));
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    DimPart& part = parts[static_cast<std::size_t>(dims[axis])];
    part = {part.origin, chosen.origin[axis], chosen.stride[axis], chosen.count[axis]};
    if (part.count == 0) {
      return error(Code::kOutOfRange, "the box has no sample of the level; choose a finer level");
    }
  }
  return parts;
}

Result<Schema> level_schema(const Schema& schema, const std::vector<DimPart>& parts) {
  return LevelSchema(schema, parts).make();
}

}  // namespace esker::netcdf_plugin
