// Named grids: the points of well-known runs, as numbers. Nothing is allocated, so a run of any size can be
// inspected.
//
//   const pism::GridSpec* grid = pism::find_named_grid("g1km");   // nullptr: no such name
#pragma once

#include <array>
#include <string_view>

#include "esker/types/box.hpp"

namespace pism {

/// A regular grid; axes and fields follow from it.
struct GridSpec {
  esker::Index Mx = 0, My = 0, Mz = 0;  ///< points
  double x0 = 0, y0 = 0;                ///< the first point, m
  double spacing = 0;                   ///< of x and y, m
  double height = 0;                    ///< of the highest level above the bed, m
};

/// `n_x` x `n_y` points around (0, 0).
constexpr GridSpec centred_grid(esker::Index n_x, esker::Index n_y, double spacing, esker::Index levels,
                                double height) {
  return {n_x,
          n_y,
          levels,
          -0.5 * static_cast<double>(n_x - 1) * spacing,
          -0.5 * static_cast<double>(n_y - 1) * spacing,
          spacing,
          height};
}

struct NamedGrid {
  std::string_view name, what;
  GridSpec grid;
};

/// Greenland: the SeaRISE extent, x -800 ... 700 km, y -3400 ... -600 km, that of data/greenland_5km.nc.
/// Antarctica: the 6000 km square around the pole that PISM's runs take at these spacings (-Mx 600 and
/// -Mx 1200 in its examples/antarctica), 5000 m high; 301 levels on both, so that they differ in x and y
/// only.
inline constexpr std::array<NamedGrid, 4> kNamedGrids{{
    {"g5km", "Greenland, 5 km, 301 x 561 x 201", {301, 561, 201, -800e3, -3400e3, 5e3, 4000}},
    {"g1km", "Greenland, 1 km, 1501 x 2801 x 401", {1501, 2801, 401, -800e3, -3400e3, 1e3, 4000}},
    {"a10km", "Antarctica, 10 km, 600 x 600 x 301", centred_grid(600, 600, 10e3, 301, 5000)},
    {"a5km", "Antarctica, 5 km, 1200 x 1200 x 301", centred_grid(1200, 1200, 5e3, 301, 5000)},
}};

constexpr const GridSpec* find_named_grid(std::string_view name) {
  for (const NamedGrid& named : kNamedGrids) {
    if (named.name == name) return &named.grid;
  }
  return nullptr;
}

}  // namespace pism
