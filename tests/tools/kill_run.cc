// A small run that kills one of its ranks in the middle of a step, for tests/python/test_kill.py.
//
//   kill_run PATH one|several FIRST END [PHASE RANK STEP [OPTION=VALUE ...]]
//
// Writes the steps FIRST to END - 1 (FIRST 0: a new dataset; else it appends). PHASE is one of kPhases, or a
// number: that of the call of the communicator in STEP at which the rank dies. "none" kills nobody. The rank
// dies by SIGKILL, so the program ends by what mpiexec makes of that.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "comm/observed_comm.h"
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
    {"none", StoreCall::kOpen, "/"},  // no file ends so
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

/// Ends the rank at a call of the communicator, counted from 0 while armed.
class CommRule {
 public:
  explicit CommRule(std::string_view phase)
      : left_(std::isdigit(static_cast<unsigned char>(phase[0])) != 0 ? std::atoi(phase.data()) : -1) {}
  bool armed = false;

  [[nodiscard]] bool is_phase() const { return left_ >= 0; }
  void operator()() {
    if (armed && is_phase() && left_-- == 0) ::kill(::getpid(), SIGKILL);
  }

 private:
  long left_;
};

/// "transport=put" ...
std::map<std::string, std::string> options_of(char** arguments, int count) {
  std::map<std::string, std::string> options;
  for (int i = 0; i < count; ++i) {
    const std::string text = arguments[i];
    options[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  return options;
}

void run(char** arguments, int count) {
  CommRule comm_rule(count > 5 ? arguments[5] : "none");
  const Communicator comm(
      observed_comm(mpi_communicator(MPI_COMM_WORLD).get(), [&](CommCall, std::size_t) { comm_rule(); }));
  RunPlan plan;
  plan.n_ranks = plan.aggregators = comm.size();
  plan.path = arguments[1];
  plan.single = std::string_view(arguments[2]) == "one";
  plan.first_step = std::atoi(arguments[3]);
  plan.end_step = std::atoi(arguments[4]);
  plan.fsync = Fsync::kStep;
  plan.options = options_of(arguments + 8, count - 8);
  KillRule rule(phase_of(comm_rule.is_phase() || count <= 5 ? "none" : arguments[5]));
  const bool is_victim = count > 7 && std::atoi(arguments[6]) == comm.rank();
  const Index kill_step = count > 7 ? std::atoi(arguments[7]) : -1;
  const auto store =
      faulty_store(posix_store(), [&](StoreCall call, const std::string& path) { return rule(call, path); });
  auto pipeline = open_run(comm, store, plan).value();
  for (Index step = plan.first_step; step < plan.end_step; ++step) {
    rule.armed = comm_rule.armed = is_victim && step == kill_step;
    write_step(*pipeline, comm, plan, step).check();
  }
  pipeline->close({}).check();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: kill_run PATH one|several FIRST END [PHASE RANK STEP [OPTION=VALUE ...]]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  run(argv, argc);
  MPI_Finalize();
  return 0;
}
