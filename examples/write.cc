// All ranks write one step of one field together: mpiexec -n 4 write_cc
#include <mpi.h>

#include <vector>

#include "esker/esker.hpp"
#include "esker/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    // [README
    auto comm = esker::mpi_communicator(MPI_COMM_WORLD);
    auto writer = esker::Writer::create("run.idx", comm, esker::Options::load()).value();
    auto x = writer.def_dim("x", 300).value(), y = writer.def_dim("y", 100 * comm.size()).value();
    auto grid = writer.def_grid("map", {x, y}).value();
    auto thk = writer.def_field(grid, "thk", esker::SampleType::kFloat32).value();

    esker::Box mine({0, 100 * comm.rank()}, {300, 100 * (comm.rank() + 1)});  // [lo, hi), x first
    std::vector<float> thickness(mine.num_samples(), 1.0F + comm.rank());     // x fastest
    writer.begin_step(0.0).check();
    writer.put(thk, esker::Patch::dense(mine, thickness.data())).check();  // any number of patches per rank
    writer.end_step().check();  // collective: commits the step
    writer.close().check();
    // README]
  }
  MPI_Finalize();
}
