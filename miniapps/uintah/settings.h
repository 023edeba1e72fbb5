// Settings: the command line of esker-uintah.
#pragma once

#include <string>
#include <vector>

#include "common/command.h"
#include "esker/types/options.hpp"
#include "hierarchy.h"

namespace uintah {

struct Settings {
  Sizes sizes{.coarse_patches = {}};  ///< coarse_patches of 0: from the number of ranks
  Index steps = 4;
  double time_step = 0.1;  ///< in revolutions of the blob
  std::string path;        ///< of the output, without the suffix .idx
  std::vector<std::string> modes;
  bool check = true;
  bool quiet = false;
  esker::Options options;
};

using Command = miniapp::Command<Settings>;

/// Local. Esker's options start from esker.toml and the environment (esker::Options::load).
Command parse_command_line(int argc, const char* const* argv);

}  // namespace uintah
