// esker-bench-peers: MPI-IO, PnetCDF, parallel HDF5 and netCDF on the workloads of esker-bench.
//
// A separate program, because a process must not load two HDF5 libraries, and libesker may use the serial
// one. `esker bench --peers` runs both programs in turn. Each also measures posix, the reference of the
// comparison.
#include <cstdlib>

#include "peer_case.h"
#include "program.h"
#include "regular_parts.h"

namespace bench {
namespace {

/// A case by name.
struct Peer {
  const char* name;
  std::function<std::unique_ptr<Case>(MPI_Comm, const std::string& directory, const Workload&)> make;
  bool needs_chunks = false;  ///< chunks are the ranks' parts, which must have regular_extents()
  bool on_request = false;    ///< much slower than the others
};

template <class Style>
auto with(std::unique_ptr<Case> (*make)(MPI_Comm, const std::string&, const Workload&, Style), Style style) {
  return [=](MPI_Comm comm, const std::string& directory, const Workload& workload) {
    return make(comm, directory, workload, style);
  };
}

std::unique_ptr<Case> posix(MPI_Comm comm, const std::string& directory, const Workload&) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return posix_case(directory, rank);
}

const std::vector<Peer>& peers() {
  static const std::vector<Peer> all{
      {"posix", posix},
      {"mpi_io", mpi_io_case},
      {"pnetcdf", with(pnetcdf_case, PnetcdfStyle::kCdf5)},
      {"pnetcdf_nonblocking", with(pnetcdf_case, PnetcdfStyle::kCdf5Nonblocking)},
      {"pnetcdf_cdf2", with(pnetcdf_case, PnetcdfStyle::kCdf2)},
      {"hdf5", with(hdf5_case, Hdf5Layout::kContiguous)},
      {"hdf5_chunked", with(hdf5_case, Hdf5Layout::kChunked), true},
      {"hdf5_deflate", with(hdf5_case, Hdf5Layout::kDeflated), true, true},
      {"netcdf4", netcdf4_case},
      {"netcdf_gather", with(netcdf_gather_case, GatherStyle::kDefineOnce)},
      {"netcdf_redefine", with(netcdf_gather_case, GatherStyle::kRedefine), false, true},
      {"netcdf_redefine_padded", with(netcdf_gather_case, GatherStyle::kRedefinePadded), false, true},
  };
  return all;
}

std::vector<std::unique_ptr<Case>> make_cases(const std::vector<std::string>& names,
                                              const std::string& directory, const Workload& workload) {
  const bool can_chunk = regular_extents(MPI_COMM_WORLD, workload).has_value();
  std::vector<std::unique_ptr<Case>> cases;
  for (const std::string& name : names) {
    for (const Peer& peer : peers()) {
      if (name != peer.name || (peer.needs_chunks && !can_chunk)) continue;
      cases.push_back(peer.make(MPI_COMM_WORLD, directory, workload));
    }
  }
  return cases;
}

/// Open MPI 4 would use OMPIO, in which collective writes take about twice as long. A user can still select
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
  bench::Program program{
      .name = "esker-bench-peers",
      .description = "Compares other libraries with plain files. Started by `esker bench --peers`.",
      .cases = {},
      .cases_on_request = {},
      .define_more = {},
      .make_cases = bench::make_cases,
      .libraries = {{"pnetcdf", bench::pnetcdf_version()},
                    {"hdf5", bench::hdf5_version()},
                    {"netcdf", bench::netcdf_version()},
                    {"mpi_io", bench::choose_mpi_io()}},
  };
  for (const bench::Peer& peer : bench::peers()) {
    (peer.on_request ? program.cases_on_request : program.cases).emplace_back(peer.name);
  }
  return bench::run_program(argc, argv, program);
}
