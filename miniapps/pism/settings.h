// Settings: the command line of esker-pism.
#pragma once

#include <optional>
#include <string>

#include "common/command.h"
#include "dome.h"
#include "esker/types/options.hpp"
#include "esker/types/sample_type.hpp"
#include "model.h"
#include "named_grids.h"
#include "raw_output.h"

namespace pism {

struct Settings {
  std::string input;                ///< netCDF file with topg and thk; empty with a dome
  std::optional<Dome> dome;         ///< instead of an input
  std::string restart;              ///< dataset of an earlier run, instead of both
  std::string output;               ///< dataset, "run.idx"
  std::optional<GridSpec> grid;     ///< its points in x and y; absent: those of the input
  std::string mode = "esker";       ///< its name on the command line
  std::optional<RawMode> raw_mode;  ///< absent: through Esker
  Index levels = 61;
  double ice_height = 4000;  ///< m, of the highest level
  ZSpacing z_spacing = ZSpacing::kEqual;
  Index coarsen = 1;            ///< use every `coarsen`-th point of the input's grid
  double output_interval = 10;  ///< a
  Index output_steps = 6;       ///< the initial state, or that of the restart, included
  esker::SampleType precision = esker::SampleType::kFloat32;
  int plan_ranks = 0;  ///< greater than 0: only plan the output for so many ranks
  bool verify = false;
  bool quiet = false;
  ModelOptions model;
  esker::Options esker;
};

using Command = miniapp::Command<Settings>;

/// Local. Esker's options start from esker.toml and the environment (esker::Options::load).
Command parse_command_line(int argc, const char* const* argv);

}  // namespace pism
