// esker-bench-peers: PnetCDF and parallel HDF5 on the work that esker-bench measures Esker on.
//
// A program of its own, because a process must not hold two HDF5 libraries, and libesker may come with the
// serial one. `esker bench --peers` runs both in turn; each measures posix as well, which is what they are
// compared by.
#include <cstdlib>

#include "peer_case.h"
#include "program.h"

namespace bench {
namespace {

std::vector<std::unique_ptr<Case>> make_cases(const std::vector<std::string>& names,
                                              const std::string& directory, const Workload& workload) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const bool can_chunk = has_equal_blocks(comm, workload);
  std::vector<std::unique_ptr<Case>> cases;
  for (const std::string& name : names) {
    if (name == "posix") cases.push_back(posix_case(directory, rank));
    if (name == "pnetcdf") cases.push_back(pnetcdf_case(comm, directory, workload, true));
    if (name == "pnetcdf_nonblocking") cases.push_back(pnetcdf_case(comm, directory, workload, false));
    if (name == "hdf5") cases.push_back(hdf5_case(comm, directory, workload, Hdf5Layout::kContiguous));
    if (name == "hdf5_chunked" && can_chunk) {
      cases.push_back(hdf5_case(comm, directory, workload, Hdf5Layout::kChunked));
    }
  }
  return cases;
}

/// Open MPI 4 would take OMPIO, with which collective writes take about twice as long; one may still ask for
/// it.
std::string choose_mpi_io() {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
  ::setenv("OMPI_MCA_io", "romio321", 0);
  return std::getenv("OMPI_MCA_io");
#else
  return "the MPI library's default";
#endif
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_program(argc, argv,
                            {.name = "esker-bench-peers",
                             .description = "Measures other libraries against plain files; started by "
                                            "`esker bench --peers`",
                             .cases = {"posix", "pnetcdf", "pnetcdf_nonblocking", "hdf5", "hdf5_chunked"},
                             .define_more = {},
                             .make_cases = bench::make_cases,
                             .libraries = {{"pnetcdf", bench::pnetcdf_version()},
                                           {"hdf5", bench::hdf5_version()},
                                           {"mpi_io", bench::choose_mpi_io()}}});
}
