// Settings: the command line of esker-jacobi.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "common/command.h"
#include "esker/types/options.hpp"

namespace jacobi {

struct Settings {
  std::array<std::optional<long long>, 3> cells;  ///< absent: of the dataset that is continued, or 64
  long long sweeps = 100;                         ///< of this run
  long long every = 10;                           ///< sweeps from step to step
  std::string output;                             ///< empty: none
  std::string restart;                            ///< dataset to continue; empty: start cold
  bool verify = false;
  bool quiet = false;
  esker::Options options;
};

using Command = miniapp::Command<Settings>;

/// Local. Esker's options start from esker.toml and the environment (esker::Options::load).
Command parse_command_line(int argc, const char* const* argv);

}  // namespace jacobi
