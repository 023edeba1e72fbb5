// Input: topography from a netCDF file, through the serial netCDF library.
#pragma once

#include <string>
#include <vector>

#include "array.h"
#include "resample.h"

namespace pism {

/// Axes of the variables topg and thk (dimensions y, x), every `coarsen`-th point; metres.
struct InputAxes {
  std::vector<double> x, y;
};

/// Local: each rank opens the file for itself. Both throw std::runtime_error that names file and variable.
InputAxes read_axes(const std::string& path, Index coarsen);

/// Reads this rank's part of variable `name` [m] onto the points of `grid`, which may be others than the
/// file's (resample.h). Values that are used and are not finite, or that the file marks as missing, are
/// errors. Memory: one row of the rank's part of the file.
void read_map(const std::string& path, const std::string& name, const Grid& grid, Sampling sampling,
              Array<double>& map);

}  // namespace pism
