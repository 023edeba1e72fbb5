// esker-bench-gpu: what a GPU's samples cost on their way to files; see --help. Needs the CUDA driver, or the
// tests' double of it, to try the program itself.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/driver.h"
#include "esker/mpi.hpp"
#include "gather.h"
#include "steps.h"
#include "support/device_bytes.h"

int main(int argc, char** argv) {
  CLI::App app("Gathers samples of a GPU to pinned memory (rank 0), and writes steps from it (all ranks).");
  long edge = 256, step_edge = 64;
  int repeat = 5;
  std::string directory = "/dev/shm";
  app.add_option("--edge", edge, "of the array that is gathered, a multiple of 64")
      ->check([](const std::string& text) {
        return std::atol(text.c_str()) % 64 == 0 ? "" : "not a multiple of 64";
      })
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--step-edge", step_edge, "of the samples per rank and field in a step")
      ->capture_default_str();
  app.add_option("--repeat", repeat, "repetitions; their medians are printed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--dir", directory, "where steps are written")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    const auto comm = esker::mpi_communicator(MPI_COMM_WORLD);
    esker::testing_support::CudaOfTests::get();
    const bool gathered = comm.rank() != 0 || esker::bench::measure_gather(edge, repeat);
    const bool written = esker::bench::measure_steps(comm, directory, step_edge, repeat);
    status = gathered && written ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "esker-bench-gpu: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
