// All ranks read what write_cc wrote, each its rows and those next to them: mpiexec -n 3 restart_cc
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "esker/esker.hpp"
#include "esker/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    const auto comm = esker::mpi_communicator(MPI_COMM_WORLD);
    const esker::Index first = 100 * comm.rank(), last = first + 100, rows = 100 * comm.size();
    const esker::Box mine({0, std::max<esker::Index>(0, first - 1)}, {300, std::min(rows, last + 1)});
    std::vector<float> thickness(mine.num_samples());
    // [README
    auto reader = esker::Reader::open("run.idx", comm).value();
    reader.request("thk", -1, esker::MutablePatch::dense(mine, thickness.data())).check();
    reader.read().check();  // collective: all that was requested
    // README]
    for (std::size_t n = 0; n < thickness.size(); ++n) {
      const auto row = mine.lo[1] + static_cast<esker::Index>(n) / 300;
      if (thickness[n] != static_cast<float>(1 + row / 100)) status = 1;  // the rank that wrote it, from 1
    }
    if (status != 0) std::fprintf(stderr, "rank %d: other samples than were written\n", comm.rank());
  }
  MPI_Finalize();
  return status;
}
