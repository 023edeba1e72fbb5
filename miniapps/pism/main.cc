// esker-pism: an ice sheet on MPI ranks that writes its steps through Esker. See README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 input, output or verification failed, 2 wrong usage.
#include "common/main.h"

#include <cstdlib>

#include "run.h"
#include "settings.h"

int main(int argc, char** argv) {
  // MPI-IO of Open MPI by ROMIO, unless the environment names another: OMPIO may lose samples (open-mpi/ompi
  // issue 12718).
  setenv("OMPI_MCA_io", "romio321", 0);  // NOLINT: before any thread
  return miniapp::main_of("esker-pism", argc, argv, pism::parse_command_line, pism::run);
}
