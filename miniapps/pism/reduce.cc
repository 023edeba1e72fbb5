#include "reduce.h"

#include <cmath>

#include "common/checksum.h"

namespace pism {

double max_over_ranks(MPI_Comm comm, double value) {
  double largest = 0;
  MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return largest;
}

double reproducible_sum(MPI_Comm comm, const Grid& grid, const Array<double>& map) {
  constexpr double kUnits = 4294967296.0;  // 2^32
  std::int64_t own = 0, sum = 0;
  for_own(grid, [&](Index i, Index j) { own += std::llround(map(i, j) * kUnits); });
  MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return static_cast<double>(sum) / kUnits;
}

std::uint64_t checksum(MPI_Comm comm, const Grid& grid, const Array<double>& array) {
  std::uint64_t own = 0, sum = 0;
  for_own(grid, [&](Index i, Index j) {
    const Index first = ((grid.ys + j) * grid.Mx + grid.xs + i) * array.levels();
    const double* column = array.column(i, j);
    for (Index k = 0; k < array.levels(); ++k) {
      own += miniapp::hash_of(column[k], first + k);
    }
  });
  MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace pism
