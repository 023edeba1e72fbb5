// Reductions over ranks whose result does not depend on how many ranks there are.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace gcrm {

/// A sum of numbers in [-2^20, 2^20] in units of 2^-70, held as integers: neither order nor ranks matter.
/// The sum must stay within +-2^22; up to 2^33 numbers.
struct ExactSum {
  std::int64_t high = 0;  ///< units of 2^-40
  std::int64_t low = 0;   ///< units of 2^-70

  void add(double value);
  [[nodiscard]] double value() const;
};

/// Collective: adds each entry up over the ranks.
void sum_over_ranks(MPI_Comm comm, std::vector<ExactSum>& sums);

/// Collective: the largest of the ranks' values, entry by entry.
void max_over_ranks(MPI_Comm comm, std::vector<double>& values);
/// Collective.
double max_over_ranks(MPI_Comm comm, double value);

/// Collective: a checksum of numbers, the first of which is that at global position `first`; the same for any
/// split. Each number's bits are hashed with its position (splitmix64's finaliser, Steele et al. 2014).
std::uint64_t checksum(MPI_Comm comm, const double* values, std::int64_t count, std::int64_t first);

}  // namespace gcrm
