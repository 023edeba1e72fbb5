// Program: the command line, workload, JSON and exit codes of esker-bench and esker-bench-peers.
//
// Exit codes: 0 all values are right, 1 a value is wrong or an operation failed, 2 wrong usage.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case.h"
#include "runner.h"
#include "throttle.h"

namespace CLI {
class App;
}

namespace bench {

struct Settings {
  std::string workload;
  std::vector<Index> points;  ///< empty: the workload's default
  Schedule schedule;
  std::string directory = ".";
  std::string json;  ///< empty: standard output
  std::vector<std::string> cases;
  bool is_smooth = false;      ///< Values::kSmooth
  StoreSpeed store;            ///< of writing
  bool is_write_only = false;  ///< see Schedule::reads
  bool drops = false;          ///< see drop_writes(); implies is_write_only
  int parts = 0;  ///< only prints who holds what of so many ranks, see print_parts(); 0: measures
};

struct Program {
  std::string name;
  std::string description;
  std::vector<std::string> cases;  ///< the default cases, in the order they run
  std::vector<std::string> cases_on_request;
  /// Adds the program's options to the command line; may be empty.
  std::function<void(CLI::App&)> define_more;
  /// The cases of these names, in this run's directory. Collective. May leave out cases that do not support
  /// the workload.
  std::function<std::vector<std::unique_ptr<Case>>(const std::vector<std::string>& names,
                                                   const std::string& directory, const Workload& workload)>
      make_cases;
  /// Versions that the results depend on, by name, e.g. {"hdf5", "1.10.8"}.
  std::vector<std::pair<std::string, std::string>> libraries;
};

/// main(): initialises and finalises MPI, measures, prints, and returns the exit code. With the one argument
/// --mpiexec or --cases it prints, without MPI, the launcher that it was built for, or all its cases.
int run_program(int argc, char** argv, const Program& program);

}  // namespace bench
