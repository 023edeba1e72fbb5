// A small run that kills one of its ranks in the middle of a step, for tests/python/test_kill.py.
//
//   kill_run PATH one|several|bits|sparse|mesh FIRST END [PHASE RANK STEP [OPTION=VALUE ...]]
//
// Writes the steps FIRST to END - 1 (FIRST 0: a new dataset; else, and with "+0", it appends). The rank dies
// in STEP, at PHASE:
//
//   CALL:ENDING[:N]   before the Nth call of that kind (kCalls) to the file system, on a path that ends so; a
//   write
//                     has stored half of its bytes
//   PHASE>PHASE       at the second, counted from the first on
//   N                 at the Nth call of the communicator, counted from 0
//   none              nowhere
//
// It dies by SIGKILL, and mpiexec ends the other ranks.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "comm/observed_comm.h"
#include "esker/mpi.hpp"
#include "store/faulty_store.h"
#include "support/runs.h"

namespace {

using namespace esker;                   // NOLINT: a separate program
using namespace esker::testing_support;  // NOLINT

constexpr std::pair<std::string_view, StoreCall> kCalls[] = {
    {"open", StoreCall::kOpen},     {"write", StoreCall::kWrite},   {"sync", StoreCall::kSync},
    {"close", StoreCall::kClose},   {"rename", StoreCall::kRename}, {"remove", StoreCall::kRemove},
    {"create", StoreCall::kCreate},
};

[[noreturn]] void refuse(std::string_view phase) {
  std::fprintf(stderr, "no phase '%s'\n", std::string(phase).c_str());
  std::exit(2);
}

/// A call of the file system that a phase waits for.
struct Awaited {
  std::optional<StoreCall> call;  ///< nothing: any
  std::string ending;             ///< of the path
  int left = 1;                   ///< such calls until then
};

Awaited awaited_of(std::string_view text) {
  Awaited awaited;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const auto& [known, call] : kCalls) {
    if (known == name) awaited.call = call;
  }
  if (colon == std::string_view::npos || (!awaited.call && name != "any")) refuse(text);
  const std::size_t second = text.find(':', colon + 1);
  awaited.ending = text.substr(colon + 1, second - colon - 1);
  if (second != std::string_view::npos) awaited.left = std::atoi(text.data() + second + 1);
  return awaited;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

/// Ends the rank at a call of the file system, while armed.
class StoreRule {
 public:
  /// "none": nowhere.
  explicit StoreRule(std::string_view phase) {
    while (phase != "none" && !phase.empty()) {
      const std::size_t end = std::min(phase.find('>'), phase.size());
      awaited_.push_back(awaited_of(phase.substr(0, end)));
      phase.remove_prefix(std::min(end + 1, phase.size()));
    }
  }
  bool armed = false;

  int operator()(StoreCall call, const std::string& path) {
    if (!armed || awaited_.empty()) return 0;
    Awaited& next = awaited_.front();
    if ((next.call && next.call != call) || !path.ends_with(next.ending) || --next.left > 0) return 0;
    awaited_.pop_front();
    if (!awaited_.empty()) return 0;
    if (call != StoreCall::kWrite) die();
    return EIO;  // it dies when half is stored
  }

 private:
  std::deque<Awaited> awaited_;
};

/// Ends the rank at a call of the communicator, counted from 0 while armed.
class CommRule {
 public:
  explicit CommRule(std::string_view phase)
      : left_(std::isdigit(static_cast<unsigned char>(phase[0])) != 0 ? std::atoi(phase.data()) : -1) {}
  bool armed = false;

  [[nodiscard]] bool is_phase() const { return left_ >= 0; }
  void operator()() {
    if (armed && is_phase() && left_-- == 0) die();
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
  const std::string_view kind = arguments[2];
  plan.single = kind == "one" || kind == "sparse" || kind == "mesh";
  if (kind == "bits") plan.schema = stored_bits_schema();
  if (kind == "mesh") plan.schema = mesh_schema();
  if (kind == "sparse") plan.keep = keep_some_blocks;
  plan.first_step = std::atoi(arguments[3]);
  plan.append = arguments[3][0] == '+';
  plan.end_step = std::atoi(arguments[4]);
  plan.fsync = Fsync::kStep;
  plan.options = options_of(arguments + 8, count - 8);
  StoreRule rule(comm_rule.is_phase() || count <= 5 ? "none" : arguments[5]);
  const bool is_victim = count > 7 && std::atoi(arguments[6]) == comm.rank();
  const Index kill_step = count > 7 ? std::atoi(arguments[7]) : -1;
  const auto store = faulty_store(
      posix_store(), [&](StoreCall call, const std::string& path) { return rule(call, path); }, die);
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
    std::fprintf(
        stderr,
        "usage: kill_run PATH one|several|bits|sparse|mesh FIRST END [PHASE RANK STEP [OPTION=VALUE ...]]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  run(argv, argc);
  MPI_Finalize();
  return 0;
}
