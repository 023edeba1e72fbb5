// Continues what write_cc wrote, after its first step: mpiexec -n 4 append_cc
#include <mpi.h>

#include <vector>

#include "esker/esker.hpp"
#include "esker/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const auto comm = esker::mpi_communicator(MPI_COMM_WORLD);
    const double checkpoint_time = 0.0;
    // [README
    auto writer = esker::Writer::append("run.idx", comm, esker::Options::load()).value();  // cleans up
    writer.rewind(checkpoint_time).check();  // drops the steps after the checkpoint
    auto thk = writer.field("thk").value();  // and begin_step, put, end_step as before
    // README]
    const esker::Box mine({0, 100 * comm.rank()}, {300, 100 * (comm.rank() + 1)});
    const std::vector<float> thickness(mine.num_samples(), 1.0F + comm.rank());
    writer.begin_step(1.0).check();
    writer.put(thk, esker::Patch::dense(mine, thickness.data())).check();
    writer.end_step().check();
    writer.close().check();
  }
  MPI_Finalize();
}
