// Variables: the values that are written for each cell, in any format.
#pragma once

#include <array>
#include <vector>

#include "mesh.h"

namespace gcrm {

struct Variable {
  const char* name;
  bool layered, fixed;
  const char *units, *long_name, *standard_name;  ///< CF; "" if it has no name
};

enum { kTracer, kTracerMean, kLon, kLat, kArea };  ///< positions in kVariables

inline constexpr std::array<Variable, 5> kVariables{{
    {"tracer", true, false, "1", "mixing ratio of the tracer", ""},
    {"tracer_mean", false, false, "1", "mean over layers of the mixing ratio of the tracer", ""},
    {"lon", false, true, "degrees_east", "longitude of cell centres", "longitude"},
    {"lat", false, true, "degrees_north", "latitude of cell centres", "latitude"},
    {"cell_area", false, true, "m2", "area of cells", "cell_area"},
}};

/// Values of own cells in their order, layers together. `tracer` has Transport's layout. Local.
std::vector<double> values_of(int variable, const Mesh& mesh, int layers, const std::vector<double>& tracer);

}  // namespace gcrm
