// Settings: the command line of esker-s3d.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "bricks.h"
#include "common/command.h"
#include "esker/types/options.hpp"
#include "regions.h"

namespace s3d {

/// Cells of a new run along x, y, z.
inline constexpr std::array<Index, 3> kDefaultCells{96, 72, 48};

struct Settings {
  std::array<std::optional<Index>, 3>
      cells;                       ///< absent: of the checkpoint that is continued, or kDefaultCells
  Index steps = 200;               ///< of the solver, in this run
  Index every = 40;                ///< steps from output to output
  std::string output;              ///< adaptive dataset; empty: none
  std::optional<Regions> regions;  ///< of the adaptive dataset; absent: all is stored
  int stored_bits = 0;             ///< per sample of the adaptive dataset; 0: samples are stored as they are
  std::string checkpoint;          ///< full dataset; empty: none
  Index checkpoint_every = 0;      ///< 0: at the end only
  std::string restart;             ///< checkpoint to continue; empty: start from the initial state
  bool verify = false;
  bool quiet = false;
  esker::Options output_options, checkpoint_options;
};

using Command = miniapp::Command<Settings>;

/// Local. Esker's options start from esker.toml and the environment (esker::Options::load).
Command parse_command_line(int argc, const char* const* argv);

}  // namespace s3d
