// A program that forgets to close its writer: MPI_Finalize discards the open step, and the one that is being
// stored, and releases the lock.
//
//   forget_close DIRECTORY
#include <mpi.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "esker/esker.hpp"
#include "esker/mpi.hpp"

namespace {

using namespace esker;  // NOLINT: a separate program

bool expect(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "forget_close: %s\n", what);
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  const std::string path = directory / "run.idx";
  MPI_Init(&argc, &argv);
  const Communicator comm = mpi_communicator(MPI_COMM_WORLD);
  const int rank = comm.rank();
  Options options;
  options.overwrite = true;
  options.report = "none";
  Writer writer = Writer::create(path, comm, options).value();
  const DimId x = writer.def_dim("x", 4 * comm.size()).value();
  const FieldId field =
      writer.def_field(writer.def_grid("line", {x}).value(), "temp", SampleType::kFloat32).value();
  const std::vector<float> samples(4, 1.0F);
  for (const double time : {0.0, 1.0, 2.0}) {
    writer.begin_step(time).check();
    writer.put(field, Patch::dense(Box{{4 * rank}, {4 * rank + 4}}, samples.data())).check();
    if (time == 0) writer.end_step().check();
    if (time == 1) writer.end_step_async().check();
  }
  bool well = expect(std::filesystem::exists(directory / "run.esker-lock"), "the writer holds no lock");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();

  well = expect(writer.end_step().code() == Code::kWrongOrder, "a step ended after MPI_Finalize") && well;
  well = expect(writer.close().code() == Code::kWrongOrder, "closing says nothing of MPI_Finalize") && well;
  if (rank == 0) {  // in the same process, so that the lock is not that of a process that has ended
    well = expect(!std::filesystem::exists(directory / "run.esker-lock"), "the lock stays") && well;
    const auto appended = Writer::append(path, Communicator::serial(), options);
    well = expect(appended.ok() && appended->num_steps() == 1, "the dataset cannot be appended to") && well;
  }
  return well ? 0 : 1;
}
