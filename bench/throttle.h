// Throttle: storage that takes a given number of bytes per second from each rank, as on large machines, and
// less if several ranks of a node write at the same time.
//
// The linker sends calls of pwrite to the throttle (--wrap=pwrite): those of Esker, if it is a static
// library, and of plain files. Those of shared libraries, such as MPI-IO and the libraries of peers, do not
// arrive.
#pragma once

#include <mpi.h>

namespace bench {

struct StoreSpeed {
  double bytes_per_s = 0;  ///< from each rank; 0: no limit
  double contention =
      0;  ///< each other rank of the node that writes slows a rank down by this part of its time
};

/// While it exists, each pwrite of this process takes at least the time that this speed needs. One at a time.
class Throttle {
 public:
  /// Collective.
  explicit Throttle(const StoreSpeed& speed);
  Throttle(const Throttle&) = delete;
  Throttle& operator=(const Throttle&) = delete;
  /// Collective, unless an exception unwinds this rank.
  ~Throttle();

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win writers_ = MPI_WIN_NULL;  // how many ranks of the node are writing
};

}  // namespace bench
