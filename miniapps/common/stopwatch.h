// Stopwatch: wall-clock seconds that this rank spent on one kind of work.
#pragma once

#include <mpi.h>

namespace miniapp {

struct Stopwatch {
  double seconds = 0;
  /// Runs `work` and adds its time.
  template <class F>
  void time(F&& work) {
    const double start = MPI_Wtime();
    work();
    seconds += MPI_Wtime() - start;
  }
};

}  // namespace miniapp
