// Simulations: the models whose output is measured, and their decompositions.
#pragma once

#include <string>
#include <vector>

#include "workload.h"

namespace bench {

/// A workload by name.
struct Simulation {
  const char* name;
  const char* points_are;  ///< what the three numbers count
  Point standard_points;
  Workload (*make)(int rank, int n_ranks, const Point& points);
};

/// All simulations.
const std::vector<Simulation>& simulations();
/// One of them; `name` must be valid.
const Simulation& simulation(const std::string& name);

/// S3D's checkpoint: pressure, temperature, velocity (3), species (11), `block`^3 points per rank, x fastest,
/// components in separate planes, ranks in a grid that is as nearly cubic as their number allows.
/// Source: Chen et al. (2009), Comput. Sci. Discov. 2, 015001; github.com/wkliao/S3D-IO.
Workload make_s3d(int rank, int n_ranks, const Point& block);
/// The same, where the temperature is that of a burning sheet, which moves across the ranks.
Workload make_s3d_adaptive(int rank, int n_ranks, const Point& block);
/// The same as make_s3d with a total number of points that does not depend on the number of ranks.
Workload make_s3d_whole(int rank, int n_ranks, const Point& points);

/// PISM's output: one 3-D field, z fastest, and ten 2-D ones on 600 x 600 x 301 points (Antarctica at 10 km),
/// or on `points`, split as PISM does. On disk x is the fastest axis, or, in 3-D fields, z, as in PISM's
/// files. Source: Bueler and Brown (2009), J. Geophys. Res. 114, F03008.
enum class IceSheetOrder { kXFastest, kZFastest };
Workload make_icesheet(int rank, int n_ranks, const Point& points, IceSheetOrder order);

/// POP's history, scaled down: four 3-D fields and four 2-D ones, x fastest in memory as in files, split into
/// blocks of the map with whole columns. Source: Smith et al. (2010), LAUR-10-01853.
Workload make_ocean(int rank, int n_ranks, const Point& points);

/// A global cloud-resolving model on a geodesic grid of ten panels of X x Y cells and two poles (of 4^8 cells
/// a panel: 655,362), four variables with (cells, Z layers), layers fastest in memory as in files, and two
/// with (cells). A rank holds a contiguous range of cells; all ranges except the last have the same length.
/// Source: Palmer et al. (2011), Environ. Model. Softw. 26, 1725.
Workload make_geodesic(int rank, int n_ranks, const Point& points);

}  // namespace bench
