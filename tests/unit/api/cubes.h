// Runs of 2^n ranks that each hold a block of the same size: the scaling series of docs/guide/planning.md.
#pragma once

#include <string>

#include "esker/plan.hpp"

namespace esker::testing_support {

/// 2^n ranks in a nearly cubic grid, larger numbers last.
inline Point process_grid(Index n_ranks) {
  Point parts{1, 1, 1, 1, 1};
  for (int axis = 2; n_ranks > 1; n_ranks /= 2, axis = (axis + 2) % 3) parts[axis] *= 2;
  return parts;
}

/// float64 fields on one grid.
inline Schema cube_schema(const Point& extent, int n_fields) {
  Schema schema;
  const DimId x = schema.add_dim("x", extent[0]).value();
  const DimId y = schema.add_dim("y", extent[1]).value();
  const DimId z = schema.add_dim("z", extent[2]).value();
  const GridId grid = schema.add_grid("cube", {x, y, z}).value();
  for (int f = 0; f < n_fields; ++f) {
    Field field;
    field.name = "f" + std::to_string(f);
    field.grid = grid.index;
    field.type = SampleType::kFloat64;
    schema.add_field(field).value();
  }
  return schema;
}

/// One step of blocks of `block` samples on parts[0] * parts[1] * parts[2] ranks.
inline Result<PlanReport> plan_cubes(const Point& parts, const Point& block, int n_fields,
                                     const Options& options) {
  Point extent{1, 1, 1, 1, 1};
  for (int a = 0; a < 3; ++a) extent[a] = parts[a] * block[a];
  const SplitOfGrid split = [&](const Grid&) { return BrickDecomposition::even(3, extent, parts); };
  return plan_step(cube_schema(extent, n_fields), static_cast<int>(parts[0] * parts[1] * parts[2]), split,
                   options);
}

}  // namespace esker::testing_support
