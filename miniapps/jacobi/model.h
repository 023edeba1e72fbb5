// Model: heat that spreads in a box until it is steady, by Jacobi's method, with the field on a GPU.
//
// Ranks have slabs of planes along z. After a sweep their outermost planes are copied to neighbours, through
// the host.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/world.h"
#include "cuda.h"
#include "jacobi/sweep_cell.h"

namespace jacobi {

/// The planes of a rank, with those of its neighbours. Ranks differ by one plane at most.
Slab slab_of(const std::array<long long, 3>& cells, int rank, int ranks);

/// The field before the first sweep: the face x = 0 is hot, all else is cold.
std::vector<double> initial(const Slab& slab);

class Model {
 public:
  /// `gpu` outlives it. Throws std::runtime_error for errors of the driver, on this rank.
  Model(const miniapp::World& world, Gpu& gpu, const Slab& slab);

  /// Collective: fills the planes of neighbours. Before the first sweep, and after each.
  void exchange();
  /// Starts a sweep on the GPU.
  void sweep();

  [[nodiscard]] const Slab& slab() const { return slab_; }
  /// This rank's own planes, on the GPU, until the next sweep.
  [[nodiscard]] double* own() const { return at_plane(1); }
  /// A copy of all planes, on the host.
  [[nodiscard]] std::vector<double> to_host();

 private:
  [[nodiscard]] double* at_plane(long long plane) const {
    return from_->data() + plane * slab_.nx * slab_.ny;
  }
  [[nodiscard]] std::size_t plane_values() const { return static_cast<std::size_t>(slab_.nx * slab_.ny); }

  const miniapp::World& world_;
  Gpu& gpu_;
  Slab slab_;
  std::array<GpuArray, 2> arrays_;
  GpuArray *from_, *to_;
  std::vector<double> on_host_;  // the planes that are exchanged: own lowest and highest, the neighbours'
};

/// The planes after as many sweeps on the host. Collective.
std::vector<double> swept_on_host(const miniapp::World& world, const Slab& slab, std::vector<double> values,
                                  long long sweeps);

/// The sum of the hashes of all cells, the same on any number of ranks. Collective.
std::uint64_t checksum(const miniapp::World& world, const Slab& slab, const std::vector<double>& values);

}  // namespace jacobi
