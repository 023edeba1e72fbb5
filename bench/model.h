// Model: a simulation that computes between its output steps, with memory that caches do not hold.
#pragma once

#include <mpi.h>

#include <vector>

#include "case.h"

namespace bench {

class Model {
 public:
  /// A step takes `seconds` when all ranks compute and nothing else runs. 0: nothing is computed. Collective.
  Model(MPI_Comm comm, double seconds);

  /// As many sweeps as a step has. Local.
  void compute();

 private:
  void sweep();

  std::vector<double> now_, next_;
  Index sweeps_ = 0;
};

}  // namespace bench
