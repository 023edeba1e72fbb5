// esker-bench-amr-peers: parallel HDF5 on the patches of esker-bench-amr. A separate program, because a
// process must not load two HDF5 libraries, and libesker may use the serial one. It measures the limits
// again.
#include <cstdlib>

#include "hdf5_mode.h"
#include "plain_files.h"

int main(int argc, char** argv) {
  ::setenv("OMPI_MCA_io", "romio321", 0);  // about twice as fast as OMPIO, Open MPI's default
  const auto make = [](const miniapp::World& world, const bench::AmrSettings&) {
    std::vector<bench::NamedMode> modes = bench::limit_modes(world);
    for (bench::NamedMode& mode : bench::hdf5_modes(world)) modes.push_back(std::move(mode));
    return modes;
  };
  return bench::run_amr_program(argc, argv,
                                {"esker-bench-amr-peers",
                                 {"posix", "posix_shared", "hdf5_collective", "hdf5_independent"},
                                 make,
                                 {{"hdf5", bench::hdf5_version()}, {"mpi_io", std::getenv("OMPI_MCA_io")}}});
}
