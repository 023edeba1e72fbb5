// A small run that kills one of its ranks in the middle of a step, for tests/python/test_kill.py.
//
//   kill_run PATH one|several FIRST END [PHASE RANK STEP]
//
// Writes the steps FIRST to END - 1 (FIRST 0: a new dataset; else it appends). The rank dies by SIGKILL, so
// the program ends by what mpiexec makes of that.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "esker/mpi.hpp"
#include "store/faulty_store.h"
#include "support/runs.h"

namespace {

using namespace esker;                   // NOLINT: a program of its own
using namespace esker::testing_support;  // NOLINT

/// Where a rank dies: before a call on a path that ends so, or before the first call after it.
struct Phase {
  std::string_view name;
  StoreCall call;
  std::string_view ending;
  bool after = false;
};

constexpr Phase kPhases[] = {
    {"open", StoreCall::kOpen, ".bin"},
    {"write", StoreCall::kWrite, ".bin"},
    {"close", StoreCall::kClose, ".bin"},
    {"idx", StoreCall::kRename, "run.idx"},  // one grid
    {"idx-done", StoreCall::kRename, "run.idx", true},
    {"first-idx", StoreCall::kRename, "xyz.idx"},  // several grids
    {"second-idx", StoreCall::kRename, "xy.idx"},
    {"catalog", StoreCall::kRename, "esker.json"},
    {"catalog-done", StoreCall::kRename, "esker.json", true},
};

const Phase& phase_of(std::string_view name) {
  for (const Phase& phase : kPhases) {
    if (phase.name == name) return phase;
  }
  std::fprintf(stderr, "no phase '%s'\n", name.data());
  std::exit(2);
}

[[noreturn]] void die(const Phase& phase, const std::string& path) {
  if (phase.call == StoreCall::kWrite) std::ofstream(path) << std::string(1000, 'x') << std::flush;  // torn
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

class KillRule {
 public:
  explicit KillRule(const Phase& phase) : phase_(phase) {}
  bool armed = false;

  int operator()(StoreCall call, const std::string& path) {
    if (!armed) return 0;
    if (passed_) die(phase_, path);
    if (call != phase_.call || !path.ends_with(phase_.ending)) return 0;
    if (!phase_.after) die(phase_, path);
    passed_ = true;
    return 0;
  }

 private:
  const Phase& phase_;
  bool passed_ = false;
};

void run(char** arguments, int count) {
  const Communicator comm = mpi_communicator(MPI_COMM_WORLD);
  RunPlan plan;
  plan.n_ranks = plan.aggregators = comm.size();
  plan.path = arguments[1];
  plan.single = std::string_view(arguments[2]) == "one";
  plan.first_step = std::atoi(arguments[3]);
  plan.end_step = std::atoi(arguments[4]);
  plan.fsync = Fsync::kStep;
  KillRule rule(phase_of(count > 5 ? arguments[5] : "open"));
  const bool is_victim = count > 7 && std::atoi(arguments[6]) == comm.rank();
  const Index kill_step = count > 7 ? std::atoi(arguments[7]) : -1;
  const auto store =
      faulty_store(posix_store(), [&](StoreCall call, const std::string& path) { return rule(call, path); });
  auto pipeline = open_run(comm, store, plan).value();
  for (Index step = plan.first_step; step < plan.end_step; ++step) {
    rule.armed = is_victim && step == kill_step;
    write_step(*pipeline, comm, plan, step).check();
  }
  pipeline->close({}).check();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: kill_run PATH one|several FIRST END [PHASE RANK STEP]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  run(argv, argc);
  MPI_Finalize();
  return 0;
}
