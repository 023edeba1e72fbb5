// Case: a small model domain on the ranks of a communicator, filled by formulas.
#pragma once

#include <mpi.h>

#include <cmath>
#include <utility>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "grid.h"
#include "halo.h"
#include "model.h"

namespace pism {

/// `n` coordinates [m] of 25 km spacing around `centre`.
inline std::vector<double> axis(Index n, double centre) {
  std::vector<double> values(n);
  for (Index i = 0; i < n; ++i)
    values[i] = centre + 25000.0 * (static_cast<double>(i) - 0.5 * static_cast<double>(n - 1));
  return values;
}

/// A model on its domain, split over `comm` as PISM does.
struct Case {
  Case(MPI_Comm c, Grid whole, const ModelOptions& options)
      : comm(c),
        parts(esker::BrickDecomposition::pism(2, {whole.Mx, whole.My}, size(c)).value()),
        grid(with_own_part(std::move(whole), parts.box(rank(c)))),
        halo(c, parts),
        model(c, grid, halo, options) {}

  /// Mx x My x Mz points in central Greenland.
  Case(MPI_Comm c, Index Mx, Index My, Index Mz, const ModelOptions& options = {})
      : Case(c, make_grid(axis(Mx, 0), axis(My, -2.0e6), Mz, 4000.0), options) {}

  static int size(MPI_Comm c) {
    int n = 0;
    return MPI_Comm_size(c, &n), n;
  }
  static int rank(MPI_Comm c) {
    int r = 0;
    return MPI_Comm_rank(c, &r), r;
  }

  MPI_Comm comm;
  esker::BrickDecomposition parts;
  Grid grid;
  Halo halo;
  Model model;
};

/// A parabolic dome [m] of radius `radius` m and height `height` m in the middle of the grid. Both
/// coordinates enter alike, so that it has all symmetries of the square.
inline double dome(const Grid& grid, Index i, Index j, double height, double radius) {
  const double x = static_cast<double>(2 * (grid.xs + i) - (grid.Mx - 1)) * 0.5 * grid.dx;
  const double y = static_cast<double>(2 * (grid.ys + j) - (grid.My - 1)) * 0.5 * grid.dy;
  return std::max(0.0, height * (1.0 - (x * x + y * y) / (radius * radius)));
}

}  // namespace pism
