#include "model.h"

#include <utility>

#include "common/checksum.h"
#include "sweep_kernel_ptx.h"

namespace jacobi {
namespace {

std::size_t values_of(const Slab& slab) { return static_cast<std::size_t>(slab.nx * slab.ny * slab.planes); }

/// Sends a plane to one neighbour, and receives one from the other.
void swap(const miniapp::World& world, const double* sent, int to, double* received, int from,
          std::size_t values) {
  const auto neighbour = [&](int rank) { return rank < 0 || rank >= world.size ? MPI_PROC_NULL : rank; };
  const int count = static_cast<int>(values);
  MPI_Sendrecv(sent, count, MPI_DOUBLE, neighbour(to), 0, received, count, MPI_DOUBLE, neighbour(from), 0,
               world.comm, MPI_STATUS_IGNORE);
}

/// Own lowest and highest plane go to the neighbours, whose planes come.
void swap_both(const miniapp::World& world, const double* lowest, const double* highest, double* below,
               double* above, std::size_t values) {
  swap(world, highest, world.rank + 1, below, world.rank - 1, values);
  swap(world, lowest, world.rank - 1, above, world.rank + 1, values);
}

}  // namespace

Slab slab_of(const std::array<long long, 3>& cells, int rank, int ranks) {
  const long long begin = cells[2] * rank / ranks, end = cells[2] * (rank + 1) / ranks;
  return {cells[0], cells[1], cells[2], begin - 1, end - begin + 2};
}

std::vector<double> initial(const Slab& slab) {
  std::vector<double> values(values_of(slab), 0.0);
  for (std::size_t cell = 0; cell < values.size(); cell += static_cast<std::size_t>(slab.nx))
    values[cell] = 1;
  return values;
}

Model::Model(const miniapp::World& world, Gpu& gpu, const Slab& slab)
    : world_(world),
      gpu_(gpu),
      slab_(slab),
      arrays_{GpuArray(gpu, values_of(slab)), GpuArray(gpu, values_of(slab))},
      from_(&arrays_[0]),
      to_(&arrays_[1]),
      on_host_(4 * plane_values()) {
  gpu.load(kSweepKernelPtx, "sweep");
  const std::vector<double> values = initial(slab);
  for (const GpuArray& array : arrays_) gpu.to_gpu(array.data(), values.data(), values.size());
}

void Model::exchange() {
  const std::size_t values = plane_values();
  double *const lowest = on_host_.data(), *const highest = lowest + values, *const below = highest + values,
                *const above = below + values;
  gpu_.to_host(lowest, at_plane(1), values);
  gpu_.to_host(highest, at_plane(slab_.planes - 2), values);
  swap_both(world_, lowest, highest, below, above, values);
  if (world_.rank > 0) gpu_.to_gpu(at_plane(0), below, values);
  if (world_.rank + 1 < world_.size) gpu_.to_gpu(at_plane(slab_.planes - 1), above, values);
}

void Model::sweep() {
  double *from = from_->data(), *to = to_->data();
  std::array<void*, 3> parameters{&slab_, &from, &to};
  gpu_.launch(static_cast<std::size_t>(slab_.nx * slab_.ny * (slab_.planes - 2)), parameters);
  std::swap(from_, to_);
}

std::vector<double> Model::to_host() {
  std::vector<double> values(values_of(slab_));
  gpu_.to_host(values.data(), from_->data(), values.size());
  return values;
}

std::vector<double> swept_on_host(const miniapp::World& world, const Slab& slab, std::vector<double> values,
                                  long long sweeps) {
  const long long plane = slab.nx * slab.ny;
  std::vector<double> next = values;
  for (long long n = 0; n < sweeps; ++n) {
    for (long long cell = plane; cell < plane * (slab.planes - 1); ++cell) {
      next[static_cast<std::size_t>(cell)] = sweep_cell(slab, values.data(), cell);
    }
    values.swap(next);
    const auto at = [&](long long number) { return values.data() + number * plane; };
    swap_both(world, at(1), at(slab.planes - 2), at(0), at(slab.planes - 1), static_cast<std::size_t>(plane));
  }
  return values;
}

std::uint64_t checksum(const miniapp::World& world, const Slab& slab, const std::vector<double>& values) {
  const long long plane = slab.nx * slab.ny;
  std::uint64_t sum = 0, total = 0;
  for (long long cell = plane; cell < plane * (slab.planes - 1); ++cell) {
    sum += miniapp::hash_of(values[static_cast<std::size_t>(cell)], cell + slab.first * plane);
  }
  MPI_Allreduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, world.comm);
  return total;
}

}  // namespace jacobi
