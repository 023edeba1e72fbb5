// RootCopy: fields whole on rank 0, for cases that leave their files to one rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "workload.h"

namespace bench {

/// Fields travel one at a time between their parts on the ranks and rank 0, each with one MPI_Gatherv or
/// MPI_Scatterv. Parts and whole are dense in the file's order: x fastest, components slowest. Rank 0 needs
/// memory for twice the largest field, kept from step to step.
class RootCopy {
 public:
  RootCopy(MPI_Comm comm, const Workload& workload);

  /// Brings field number f together from all ranks' `part`; the whole on rank 0. Collective.
  const double* gather(std::size_t f, const double* part);
  /// On rank 0: where the whole of a field is to be put before scatter(); undefined samples.
  double* whole(std::size_t f);
  /// Gives each rank its part of the whole field number f. Collective.
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
