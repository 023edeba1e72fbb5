// RootCopy: gathers whole fields on rank 0, for cases in which one rank does all file I/O.
#pragma once

#include <mpi.h>

#include <vector>

#include "workload.h"

namespace bench {

/// Moves one field at a time between the ranks' parts and rank 0, by one MPI_Gatherv or MPI_Scatterv. Parts
/// and the whole field are dense in the file's order: x fastest, components slowest. Rank 0 needs memory for
/// twice the largest field, and keeps it from step to step.
class RootCopy {
 public:
  RootCopy(MPI_Comm comm, const Workload& workload);

  /// Gathers field number f from all ranks' `part`; returns the whole field on rank 0. Collective.
  const double* gather(std::size_t f, const double* part);
  /// On rank 0: memory for a whole field, to be filled before scatter().
  double* whole(std::size_t f);
  /// Scatters the whole field number f. Collective.
  void scatter(std::size_t f, double* part);

  [[nodiscard]] bool is_root() const { return rank_ == 0; }

 private:
  /// A field as rank 0 sees it.
  struct Field {
    Box grid;
    Index components = 1;
    std::vector<Box> boxes;           // of the ranks
    std::vector<int> counts, places;  // of samples in parts_, as MPI takes them
  };
  void make_room(std::size_t f);
  /// Calls visit(sample of the whole, sample of the parts, samples) for each row of the ranks' parts.
  template <class Visit>
  static void for_each_row(const Field& field, const Visit& visit);

  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<int> my_counts_;
  std::vector<Field> fields_;  // on rank 0
  std::vector<double> whole_, parts_;
};

}  // namespace bench
