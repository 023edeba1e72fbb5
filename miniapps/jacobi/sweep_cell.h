// sweep_cell: Jacobi's method for one cell. A GPU runs it, and --verify on the host: with the same bits.
#pragma once

#ifdef __CUDA__
#define JACOBI_ON_GPU __attribute__((device))
#else
#define JACOBI_ON_GPU
#endif

namespace jacobi {

/// A rank's planes of the grid: x is the fastest axis, and plane 0 and the last one are those of neighbours.
struct Slab {
  long long nx, ny, nz;  ///< of the whole grid
  long long first;       ///< z of plane 0; -1 on the first rank
  long long planes;      ///< with those of neighbours
};

/// The value of a cell after a sweep: the mean of its six neighbours; cells of the boundary keep theirs.
JACOBI_ON_GPU inline double sweep_cell(const Slab& slab, const double* from, long long cell) {
  const long long plane = slab.nx * slab.ny;
  const long long x = cell % slab.nx, y = cell / slab.nx % slab.ny, z = slab.first + cell / plane;
  if (x == 0 || y == 0 || z == 0 || x == slab.nx - 1 || y == slab.ny - 1 || z == slab.nz - 1)
    return from[cell];
  return ((from[cell - 1] + from[cell + 1]) + (from[cell - slab.nx] + from[cell + slab.nx]) +
          (from[cell - plane] + from[cell + plane])) *
         (1.0 / 6.0);
}

}  // namespace jacobi
