// Input: topography from a netCDF file, through the serial netCDF library.
#pragma once

#include <string>
#include <vector>

#include "array.h"

namespace pism {

/// Axes of the variables topg and thk (dimensions y, x), every `coarsen`-th point; metres.
struct InputAxes {
  std::vector<double> x, y;
};

/// Local: each rank opens the file for itself. Both throw std::runtime_error that names file and variable.
InputAxes read_axes(const std::string& path, Index coarsen);

/// Reads this rank's part of variable `name` [m], every `coarsen`-th point of the file's grid. Values
/// that are not finite, or that the file marks as missing, are errors.
void read_map(const std::string& path, const std::string& name, Index coarsen, const Grid& grid,
              Array<double>& map);

}  // namespace pism
