// Norms: the error of the tracer against the exact solution, and its mass.
#pragma once

#include <mpi.h>

#include <vector>

#include "bell.h"
#include "mesh.h"

namespace gcrm {

/// Norms of one layer. Errors are relative to the solution's own norms: Williamson et al. (1992), eqs. 82-84.
struct Norms {
  double l1 = 0, l2 = 0, linf = 0;
  double mass = 0;  ///< integral over the sphere, sr
  double least = 0, most = 0;
};

/// Means of cells at time `days`: the exact solution at centroids, own cells and ghosts, layers together.
std::vector<double> exact_tracer(const Mesh& mesh, const Bell& bell, double days);

/// Collective: one entry per layer, the same bits on any number of ranks.
std::vector<Norms> find_norms(MPI_Comm comm, const Mesh& mesh, const Bell& bell,
                              const std::vector<double>& tracer, double days);

}  // namespace gcrm
