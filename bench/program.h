// Program: what esker-bench and esker-bench-peers have in common: command line, workload, JSON and exit
// codes.
//
// Exit codes: 0 all values were right, 1 some were not or something failed, 2 wrong usage.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case.h"
#include "runner.h"

namespace CLI {
class App;
}

namespace bench {

struct Settings {
  std::string workload;
  std::vector<Index> points;  ///< empty: the workload's own
  Schedule schedule;
  std::string directory = ".";
  std::string json;  ///< empty: standard output
  std::vector<std::string> cases;
};

struct Program {
  std::string name;
  std::string description;
  std::vector<std::string> cases;  ///< that run unless others are asked for, in their order
  std::vector<std::string> cases_on_request;
  /// Adds options of its own to the command line; may be empty.
  std::function<void(CLI::App&)> define_more;
  /// The cases of these names, in a directory of this run's own. Collective. A case that cannot be had on
  /// this workload may be left out.
  std::function<std::vector<std::unique_ptr<Case>>(const std::vector<std::string>& names,
                                                   const std::string& directory, const Workload& workload)>
      make_cases;
  /// What else the figures depend on, by name, e.g. {"hdf5", "1.10.8"}.
  std::vector<std::pair<std::string, std::string>> libraries;
};

/// main(): initialises and finalises MPI, measures, prints, and returns the exit code. With the one argument
/// --mpiexec or --cases it prints, without MPI, the launcher that it was built for, or all its cases.
int run_program(int argc, char** argv, const Program& program);

}  // namespace bench
