// main() of a model: reads the command line, runs on all ranks of MPI, and ends with one exit code on all of
// them.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "common/together.h"

namespace miniapp {

/// Runs `model` on all ranks. Returns 1 if it failed. An error on one rank only ends the whole job, because
/// the other ranks wait for it.
template <class Model>
int run_on_all_ranks(const char* program, int rank, Model&& model) {
  try {
    model();
    return 0;
  } catch (const AgreedError& e) {
    if (rank == 0) fmt::print(stderr, "{}: error: {}\n", program, e.what());
    return 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: rank {}: error: {}\n", program, rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

/// Initialises and finalises MPI. `parse`(argc, argv) returns settings to run with, or a text to print and an
/// exit code; `run`(comm, settings) is collective.
template <class Parse, class Run>
int main_of(const char* program, int argc, char** argv, Parse&& parse, Run&& run) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto command = parse(argc, argv);
  int exit_code = command.exit_code;
  const int stop = command.settings ? 0 : 1;
  int any_stops = 0;
  MPI_Allreduce(&stop, &any_stops, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!any_stops) {
    exit_code = run_on_all_ranks(program, rank, [&] { run(MPI_COMM_WORLD, *command.settings); });
  } else if (rank == 0) {
    fmt::print(command.exit_code == 0 ? stdout : stderr, "{}", command.text);
  }
  MPI_Allreduce(MPI_IN_PLACE, &exit_code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return exit_code;
}

}  // namespace miniapp
