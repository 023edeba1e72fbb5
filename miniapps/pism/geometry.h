// Geometry: the grid of a run, and the bed and the ice on it at the start.
#pragma once

#include "settings.h"
#include "state.h"

namespace pism {

/// Local: the whole grid that the settings ask for, owned by one rank. Throws std::runtime_error that names
/// the input file or the dataset, std::invalid_argument for axes that are not regular.
Grid make_whole_grid(const Settings& settings);

/// Local: sets topg and thk of the own columns, from the dome or the input file; not for a restart. Throws as
/// above.
void fill_geometry(const Settings& settings, const Grid& grid, State& state);

}  // namespace pism
