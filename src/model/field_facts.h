// What planning and several formats ask of a field. Pure.
#pragma once

#include "esker/types/schema.hpp"

namespace esker {

/// The number of axes of the field's grid; 0 for a grid without axes.
inline int num_axes(const Schema& schema, const Field& field) {
  const Grid& grid = schema.grid_of(field);
  return schema.has_no_axes(grid) ? 0 : schema.rank_of(grid);
}

/// Whether a step stores the field; a fixed one is stored with step 0.
inline bool is_due(const Field& field, Index step) {
  return field.fixed ? step == 0 : step % field.every == 0;
}

}  // namespace esker
