// esker-pism: an ice sheet on MPI ranks that writes its steps through Esker. See README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 input, output or verification failed, 2 wrong usage.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "reduce.h"
#include "run.h"
#include "settings.h"

namespace {

/// Prints help or the complaint on rank 0.
void print_command(const pism::Command& command, int rank) {
  if (rank == 0) fmt::print(command.exit_code == 0 ? stdout : stderr, "{}", command.text);
}

int run_on_all_ranks(const pism::Settings& settings, int rank) {
  try {
    pism::run(MPI_COMM_WORLD, settings);
    return 0;
  } catch (const pism::AgreedError& e) {
    if (rank == 0) fmt::print(stderr, "esker-pism: error: {}\n", e.what());
    return 1;
  } catch (const std::exception& e) {  // this rank alone: the others wait for it, so all must end
    fmt::print(stderr, "esker-pism: rank {} failed alone: {}\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const pism::Command command = pism::parse_command_line(argc, argv);
  int exit_code = command.exit_code;
  const int stop = command.settings ? 0 : 1;
  int any_stops = 0;
  MPI_Allreduce(&stop, &any_stops, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any_stops) {
    print_command(command, rank);
  } else {
    exit_code = run_on_all_ranks(*command.settings, rank);
  }
  MPI_Allreduce(MPI_IN_PLACE, &exit_code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return exit_code;
}
