// Transport: a tracer carried by a rotation of the sphere, by finite volumes on the Voronoi cells.
//
//   gcrm::Transport transport(comm, mesh, halo, axis, speeds);
//   transport.advance(tracer, 1.0 / 24);    // a day's 24th
//
// Second order: in each cell a linear function with the cell's mean (gradient by least squares), limited so
// that it stays between the neighbours' means at the edges (Barth and Jespersen 1989, AIAA 89-0366); the
// upwind cell's function gives an edge its value; Heun's method in time, which is a mean of forward steps
// (Shu and Osher 1988, J. Comput. Phys. 77, 439).
//
// At any resolution, the flux out of a cell equals the flux into its neighbour, to the bit, so mass is
// conserved to rounding. The wind over an edge is exact, axis * (node - node), so it is free of divergence to
// rounding, and a constant remains constant. Results have the same bits for any number of ranks: each sum
// runs over a cell's edges in their order.
#pragma once

#include <mpi.h>

#include <vector>

#include "mesh.h"

namespace gcrm {

struct TransportOptions {
  double courant = 0.5;      ///< largest share of a cell that may flow out in a step
  double max_step = 1e9;     ///< days
  bool first_order = false;  ///< no linear functions: first-order upwind
};

class Transport {
 public:
  /// Collective. `mesh` and `halo` outlive it. A layer turns around `axis` (unit vector) at speeds[layer]
  /// [radians per day].
  Transport(MPI_Comm comm, const Mesh& mesh, const Halo& halo, const Vec3& axis, std::vector<double> speeds,
            const TransportOptions& options = {});

  [[nodiscard]] Index num_layers() const { return static_cast<Index>(speeds_.size()); }
  /// The longest stable step, days; the same on all ranks.
  [[nodiscard]] double longest_step() const { return longest_step_; }

  /// Collective: `days` in equal steps, whose number it returns. `tracer` has the layers of a cell together,
  /// own cells first, then ghosts, which are neither read nor valid afterwards.
  Index advance(std::vector<double>& tracer, double days);

 private:
  /// Gradients of one cell: three components for each layer.
  void find_gradient(const std::vector<double>& tracer, Index cell, double* gradient) const;
  void limit_gradient(const std::vector<double>& tracer, Index cell, double* gradient) const;
  void find_gradients(const std::vector<double>& tracer);
  void add_outflow(const std::vector<double>& tracer, Index cell, double* outflow) const;
  /// Collective: out = a tracer of own cells after a forward step of `days`.
  void forward_step(std::vector<double>& tracer, double days, std::vector<double>& out);

  MPI_Comm comm_;
  const Mesh& mesh_;
  const Halo& halo_;
  std::vector<double> speeds_;
  TransportOptions options_;
  std::vector<double> winds_;  ///< [edge] outward over it for speed 1, radians squared per radian turned
  double longest_step_ = 0;
  std::vector<double> gradients_;     ///< of local cells: three components for each layer, layers together
  std::vector<double> once_, twice_;  ///< tracers after one and two forward steps
};

}  // namespace gcrm
