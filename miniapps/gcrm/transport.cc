#include "transport.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce.h"

namespace gcrm {

Transport::Transport(MPI_Comm comm, const Mesh& mesh, const Halo& halo, const Vec3& axis,
                     std::vector<double> speeds, const TransportOptions& options)
    : comm_(comm),
      mesh_(mesh),
      halo_(halo),
      speeds_(std::move(speeds)),
      options_(options),
      gradients_(3 * mesh.num_local() * num_layers()),
      once_(mesh.num_local() * num_layers()),
      twice_(mesh.num_local() * num_layers()) {
  winds_.reserve(mesh.edges.size());
  double fastest = 0;  // largest share of a cell that flows out while the air turns by one radian
  for (Index c = 0; c < mesh.num_own(); ++c) {
    double out = 0;
    for (Index e = mesh.first_edge[c]; e < mesh.first_edge[c + 1]; ++e) {
      // (axis x r) * outward integrated along the edge; outward is along x r, so the integrand is axis *
      // along.
      winds_.push_back(dot(axis, mesh.edges[e].along));
      out += std::max(0.0, winds_.back());
    }
    fastest = std::max(fastest, out / mesh.areas[c]);
  }
  const double speed = *std::max_element(speeds_.begin(), speeds_.end());
  longest_step_ = std::min(options.max_step, options.courant / (speed * max_over_ranks(comm_, fastest)));
}

void Transport::find_gradient(const std::vector<double>& tracer, Index cell, double* gradient) const {
  const Index layers = num_layers();
  const double* own = tracer.data() + cell * layers;
  std::fill_n(gradient, 3 * layers, 0.0);
  for (Index e = mesh_.first_edge[cell]; e < mesh_.first_edge[cell + 1]; ++e) {
    const Edge& edge = mesh_.edges[e];
    const double* beyond = tracer.data() + edge.beyond * layers;
    for (Index k = 0; k < layers; ++k) {
      const double step = beyond[k] - own[k];
      gradient[k] += edge.slope.x * step;
      gradient[layers + k] += edge.slope.y * step;
      gradient[2 * layers + k] += edge.slope.z * step;
    }
  }
}

/// Shrinks the gradient until no edge's middle has a value beyond those of the cell and its neighbours.
void Transport::limit_gradient(const std::vector<double>& tracer, Index cell, double* gradient) const {
  const Index layers = num_layers();
  const double* own = tracer.data() + cell * layers;
  for (Index k = 0; k < layers; ++k) {
    double least = own[k], most = own[k];
    for (Index e = mesh_.first_edge[cell]; e < mesh_.first_edge[cell + 1]; ++e) {
      const double beyond = tracer[mesh_.edges[e].beyond * layers + k];
      least = std::min(least, beyond);
      most = std::max(most, beyond);
    }
    const Vec3 slope{gradient[k], gradient[layers + k], gradient[2 * layers + k]};
    double share = 1;
    for (Index e = mesh_.first_edge[cell]; e < mesh_.first_edge[cell + 1]; ++e) {
      const double step = dot(slope, mesh_.edges[e].middle - mesh_.middles[cell]);
      const double room = step > 0 ? most - own[k] : own[k] - least;
      if (std::abs(step) > room) share = std::min(share, room / std::abs(step));
    }
    gradient[k] *= share;
    gradient[layers + k] *= share;
    gradient[2 * layers + k] *= share;
  }
}

/// Collective; of own cells and, from their owners, of ghosts.
void Transport::find_gradients(const std::vector<double>& tracer) {
  for (Index c = 0; c < mesh_.num_own(); ++c) {
    double* gradient = gradients_.data() + 3 * c * num_layers();
    find_gradient(tracer, c, gradient);
    limit_gradient(tracer, c, gradient);
  }
  halo_.exchange(gradients_, 3 * num_layers());
}

void Transport::add_outflow(const std::vector<double>& tracer, Index cell, double* outflow) const {
  const Index layers = num_layers();
  for (Index e = mesh_.first_edge[cell]; e < mesh_.first_edge[cell + 1]; ++e) {
    const Edge& edge = mesh_.edges[e];
    const Index from = winds_[e] >= 0 ? cell : edge.beyond;
    const Vec3 offset = edge.middle - mesh_.middles[from];
    const double* value = tracer.data() + from * layers;
    const double* gradient = gradients_.data() + 3 * from * layers;
    for (Index k = 0; k < layers; ++k) {
      const double there = value[k] + (gradient[k] * offset.x + gradient[layers + k] * offset.y +
                                       gradient[2 * layers + k] * offset.z);
      outflow[k] += winds_[e] * speeds_[k] * there;
    }
  }
}

void Transport::forward_step(std::vector<double>& tracer, double days, std::vector<double>& out) {
  const Index layers = num_layers();
  std::vector<double> outflow(layers);
  halo_.exchange(tracer, layers);
  if (!options_.first_order) find_gradients(tracer);
  for (Index c = 0; c < mesh_.num_own(); ++c) {
    std::fill(outflow.begin(), outflow.end(), 0.0);
    add_outflow(tracer, c, outflow.data());
    const double factor = days / mesh_.areas[c];
    for (Index k = 0; k < layers; ++k) {
      out[c * layers + k] = tracer[c * layers + k] - factor * outflow[k];
    }
  }
}

Index Transport::advance(std::vector<double>& tracer, double days) {
  const auto steps = static_cast<Index>(std::ceil(days / longest_step_));
  const double step = days / static_cast<double>(steps);
  for (Index n = 0; n < steps; ++n) {
    forward_step(tracer, step, once_);
    forward_step(once_, step, twice_);
    for (Index v = 0; v < mesh_.num_own() * num_layers(); ++v) tracer[v] = 0.5 * (tracer[v] + twice_[v]);
  }
  return steps;
}

}  // namespace gcrm
