#include "reduce.h"

#include <cmath>

#include "common/checksum.h"

namespace gcrm {

void ExactSum::add(double value) {
  const double scaled = std::ldexp(value, 40);
  const double whole = std::nearbyint(scaled);
  high += static_cast<std::int64_t>(whole);
  low += std::llrint(std::ldexp(scaled - whole, 30));  // the difference is exact
}

double ExactSum::value() const {
  const std::int64_t carry = low >> 30;  // so that equal sums give equal numbers
  return std::ldexp(static_cast<double>(high + carry), -40) +
         std::ldexp(static_cast<double>(low - carry * (std::int64_t{1} << 30)), -70);
}

void sum_over_ranks(MPI_Comm comm, std::vector<ExactSum>& sums) {
  static_assert(sizeof(ExactSum) == 2 * sizeof(std::int64_t));
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(2 * sums.size()), MPI_INT64_T, MPI_SUM, comm);
}

void max_over_ranks(MPI_Comm comm, std::vector<double>& values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm);
}

double max_over_ranks(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}

std::uint64_t checksum(MPI_Comm comm, const double* values, std::int64_t count, std::int64_t first) {
  std::uint64_t sum = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    sum += miniapp::hash_of(values[k], first + k);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace gcrm
