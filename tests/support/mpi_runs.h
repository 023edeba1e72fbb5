// Runs of an MPI job, and the files that they write.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "store/store.h"
#include "support/mpi_fixture.h"
#include "support/runs.h"

namespace esker::testing_support {

class MpiRunsTest : public MpiTest {
 protected:
  using Files = std::map<std::string, std::string>;

  /// The files of a run of the ranks of `comm`, on rank 0, which are written to a directory of the test;
  /// removes them.
  Files files_of(const Communicator& comm, RunPlan run) {
    run.path = path("run/" + std::filesystem::path(run.path).filename().string());
    if (comm.rank() == 0) std::filesystem::create_directories(path("run"));
    comm.get()->barrier();
    const Status status = write_on_rank(comm, posix_store(), run);
    EXPECT_TRUE(status.ok()) << status.message();
    comm.get()->barrier();
    Files files;
    if (comm.rank() == 0) {
      files = all_files(*posix_store(), path("run"));
      std::filesystem::remove_all(path("run"));
    }
    comm.get()->barrier();
    return files;
  }
};

}  // namespace esker::testing_support
