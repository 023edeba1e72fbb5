// Settings: the command line of esker-gcrm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bell.h"
#include "common/command.h"
#include "esker/esker.h"
#include "options.h"
#include "transport.h"

namespace gcrm {

/// Model time from one output step to the next.
struct Interval {
  std::string text;  ///< as given, "1/24"
  double days = 0;
};

/// A dataset to write. Its format decides the arrangement of the cells.
struct Target {
  std::string path;  ///< "run.idx"
  Options esker;
};

struct Settings {
  int level = 5;  ///< 10 * 4^level + 2 cells
  Bell bell{.alpha_degrees = 45, .layers = 10};
  TransportOptions transport;
  double days = 1;                       ///< of the model's time
  std::vector<Interval> intervals;       ///< one run for each
  std::vector<Target> targets;           ///< each step goes to all of them, in this order
  esker_type precision = ESKER_FLOAT32;  ///< of variables that change in time
  std::string report;                    ///< JSON file; empty: none
  bool quiet = false;
};

using Command = miniapp::Command<Settings>;

/// Local. Esker's options start from esker.toml and the environment.
Command parse_command_line(int argc, const char* const* argv);

/// Output steps of a run, the initial state included.
Index num_output_steps(const Settings& settings, const Interval& interval);

/// The path of a target's dataset in one run; its name contains the interval if there are several runs.
std::string output_path(const Settings& settings, const Target& target, const Interval& interval);

}  // namespace gcrm
