#include "model.h"

#include <algorithm>

namespace bench {
namespace {

constexpr Index kWidth = 96;  // two arrays of 7 MB
constexpr Index kPlane = kWidth * kWidth;
constexpr int kTrials = 3;

}  // namespace

Model::Model(MPI_Comm comm, double seconds) {
  if (seconds <= 0) return;
  now_.assign(static_cast<std::size_t>(kWidth * kPlane), 1.0);
  next_ = now_;
  double sweep_s = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    for (int i = 0; i < kTrials; ++i) sweep();
    MPI_Barrier(comm);
    const double taken_s = (MPI_Wtime() - start) / kTrials;
    sweep_s = trial == 0 ? taken_s : std::min(sweep_s, taken_s);
  }
  sweeps_ = std::max(Index{1}, static_cast<Index>(seconds / sweep_s + 0.5));
  MPI_Bcast(&sweeps_, 1, MPI_INT64_T, 0, comm);
}

void Model::compute() {
  for (Index i = 0; i < sweeps_; ++i) sweep();
}

/// A step of the heat equation.
void Model::sweep() {
  for (Index z = 1; z + 1 < kWidth; ++z) {
    for (Index y = 1; y + 1 < kWidth; ++y) {
      const double* row = now_.data() + z * kPlane + y * kWidth;
      double* out = next_.data() + z * kPlane + y * kWidth;
      for (Index x = 1; x + 1 < kWidth; ++x) {
        const double around =
            row[x - 1] + row[x + 1] + row[x - kWidth] + row[x + kWidth] + row[x - kPlane] + row[x + kPlane];
        out[x] = 0.9 * row[x] + 0.1 / 6 * around;
      }
    }
  }
  std::swap(now_, next_);
}

}  // namespace bench
