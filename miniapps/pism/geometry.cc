#include "geometry.h"

#include "input.h"
#include "restart.h"

namespace pism {

Grid make_whole_grid(const Settings& s) {
  if (!s.restart.empty()) return grid_of_dataset(s.restart);
  if (s.grid) {
    return make_grid(regular_axis(s.grid->Mx, s.grid->x0, s.grid->spacing),
                     regular_axis(s.grid->My, s.grid->y0, s.grid->spacing), s.levels, s.ice_height,
                     s.z_spacing);
  }
  const InputAxes axes = read_axes(s.input, s.coarsen);
  return make_grid(axes.x, axes.y, s.levels, s.ice_height, s.z_spacing);
}

void fill_geometry(const Settings& s, const Grid& grid, State& state) {
  if (s.dome) return fill_dome(grid, *s.dome, state);
  const Sampling sampling = s.grid ? Sampling::kCells : Sampling::kPoints;
  read_map(s.input, "topg", grid, sampling, state.topg);
  read_map(s.input, "thk", grid, sampling, state.thk);
}

}  // namespace pism
