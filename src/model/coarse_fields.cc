#include "model/coarse_fields.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "base/checked.h"
#include "base/macros.h"
#include "model/field_facts.h"
#include "model/free_name.h"

namespace esker {
namespace {

Index coarse_extent(Index extent, int level) { return div_up(extent, Index{1} << level); }

template <class T>
std::vector<T> every(const std::vector<T>& values, int level) {
  std::vector<T> some;
  const std::size_t step = std::size_t{1} << static_cast<unsigned>(level);
  for (std::size_t i = 0; i < values.size(); i += step) some.push_back(values[i]);
  return some;
}

/// The means of 2^level numbers each, of the last one those that are left.
template <class T>
std::vector<T> means(const std::vector<T>& values, int level) {
  std::vector<T> all;
  const std::size_t step = std::size_t{1} << static_cast<unsigned>(level);
  for (std::size_t begin = 0; begin < values.size(); begin += step) {
    const std::size_t end = std::min(values.size(), begin + step);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(values[i]);
    all.push_back(static_cast<T>(sum / static_cast<double>(end - begin)));
  }
  return all;
}

Status add_mean_coords(const Grid& grid, GridId to, int level, Schema& coarse) {
  for (const auto& [dim, values] : grid.coords) {
    const auto typed = grid.typed_coords.find(dim);
    const auto* single =
        typed == grid.typed_coords.end() ? nullptr : std::get_if<std::vector<float>>(&typed->second);
    ESKER_RETURN_IF_ERROR(single ? coarse.set_coords(to, dim, Numbers(means(*single, level)))
                                 : coarse.set_coords(to, dim, means(values, level)));
  }
  return {};
}

Status add_coords(const Grid& grid, GridId to, int level, Schema& coarse) {
  for (const auto& item : grid.coords) {
    const std::string& dim = item.first;
    const auto typed = grid.typed_coords.find(dim);
    if (typed == grid.typed_coords.end()) {
      ESKER_RETURN_IF_ERROR(coarse.set_coords(to, dim, every(item.second, level)));
    } else {
      ESKER_RETURN_IF_ERROR(std::visit(
          [&](const auto& list) { return coarse.set_coords(to, dim, Numbers(every(list, level))); },
          typed->second));
    }
  }
  return {};
}

Status add_dims_and_grids(const Schema& schema, int level, LevelValues values, Schema& coarse) {
  for (const Dimension& dim : schema.dims()) {
    const auto added = dim.implicit ? coarse.add_implicit_dim(dim.name)
                                    : coarse.add_dim(dim.name, coarse_extent(dim.size, level));
    ESKER_RETURN_IF_ERROR(added.status());
    *coarse.attributes_of(*added).value() = dim.attributes;
  }
  for (const Grid& grid : schema.grids()) {
    std::vector<DimId> dims;
    for (const int dim : grid.dims) dims.push_back({dim});
    if (schema.has_no_axes(grid)) dims.clear();
    ESKER_ASSIGN_OR_RETURN(const GridId added, coarse.add_grid(grid.name, dims));
    *coarse.attributes_of(added).value() = grid.attributes;
    ESKER_RETURN_IF_ERROR(values == LevelValues::kMean ? add_mean_coords(grid, added, level, coarse)
                                                       : add_coords(grid, added, level, coarse));
  }
  return {};
}

/// The grid with the extents that a level has.
Result<GridId> add_level(Schema& schema, const Grid& grid, int level) {
  const std::string of_level = ".level" + std::to_string(level);
  std::vector<DimId> dims;
  for (const int number : grid.dims) {
    const Dimension dim = schema.dims()[static_cast<std::size_t>(number)];
    ESKER_ASSIGN_OR_RETURN(const DimId added, schema.add_dim(free_name(schema, dim.name, of_level),
                                                             coarse_extent(dim.size, level)));
    dims.push_back(added);
  }
  return schema.add_grid(free_name(schema, grid.name, of_level), dims);
}

}  // namespace

std::vector<CoarseField> coarse_fields(const Schema& schema, int num_levels) {
  std::vector<CoarseField> all;
  for (int level = 1; level <= num_levels; ++level) {
    for (std::size_t f = 0; f < schema.fields().size(); ++f) {
      if (num_axes(schema, schema.fields()[f]) > 0) all.push_back({static_cast<int>(f), level});
    }
  }
  return all;
}

int levels_until(const Schema& schema, Index most) {
  Index largest = 1;
  for (const Field& field : schema.fields()) {
    const Box box = schema.box_of(schema.grid_of(field));
    for (int a = 0; a < box.rank; ++a) largest = std::max(largest, box.hi[a]);
  }
  int level = 0;
  while (coarse_extent(largest, level) > most) ++level;
  return level;
}

Box coarse_box(const Box& box, int level) {
  Box coarse = box;
  for (int a = 0; a < box.rank; ++a) {
    coarse.lo[a] = coarse_extent(box.lo[a], level);
    coarse.hi[a] = std::max(coarse.lo[a], coarse_extent(box.hi[a], level));
  }
  return coarse;
}

Result<Schema> coarse_schema(const Schema& schema, int level, LevelValues values) {
  Schema coarse;
  ESKER_RETURN_IF_ERROR(coarse.set_time(schema.time_name(), schema.time_type()));
  coarse.time_attributes() = schema.time_attributes();
  coarse.attributes() = schema.attributes();
  ESKER_RETURN_IF_ERROR(add_dims_and_grids(schema, level, values, coarse));
  for (const Field& field : schema.fields()) {
    if (num_axes(schema, field) > 0) ESKER_RETURN_IF_ERROR(coarse.add_field(field).status());
  }
  for (const Scalar& scalar : schema.scalars()) ESKER_RETURN_IF_ERROR(coarse.add_scalar(scalar).status());
  return coarse;
}

Result<Schema> with_coarse_fields(const Schema& schema, int num_levels) {
  Schema stored = schema;
  std::map<std::pair<int, int>, int> grid_of;  // by grid of the dataset and level
  for (const auto& [f, level] : coarse_fields(schema, num_levels)) {
    Field field = schema.fields()[static_cast<std::size_t>(f)];
    const auto [known, is_new] = grid_of.try_emplace({field.grid, level}, 0);
    if (is_new) {
      ESKER_ASSIGN_OR_RETURN(const GridId added, add_level(stored, schema.grid_of(field), level));
      known->second = added.index;
    }
    field.grid = known->second;
    field.name = free_name(stored, field.name, ".level" + std::to_string(level));
    ESKER_RETURN_IF_ERROR(stored.add_field(std::move(field)).status());
  }
  return stored;
}

}  // namespace esker
