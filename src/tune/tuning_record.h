// TuningRecord: what a run tried, predicted and observed, for the report.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "tune/setting.h"

namespace esker {

struct TuningRecord {
  /// A setting that was tried.
  struct Probe {
    Index step = 0;  ///< the first one written with it, or, if it was not tried, the one it was proposed for
    Setting setting;
    int steps = 0;             ///< written with it until the verdict
    double predicted = 0;      ///< time of a step relative to the setting in force, by the plan; 0: not known
    double modeled = 0;        ///< the same by the model of step times; 0: there is none
    double observed = 0;       ///< the same as observed; 0: not written
    double plan_s = 0;         ///< seconds of its plan
    std::string verdict = {};  ///< "better", "not better", "not tried: ...", "failed"; empty: not decided yet
  };
  /// Steps from this one on are written with this setting.
  struct Change {
    Index from_step = 0;
    Setting setting;
  };

  double default_s = 0;   ///< seconds of a typical step with the default; 0: not known
  double best_s = 0;      ///< the same with `best`
  Setting best;           ///< in force at the end
  double cost_steps = 0;  ///< of the search: plans and slower steps, in steps with the default
  std::string state;      ///< what the run did last, and why
  std::vector<Probe> probes;
  std::vector<Change> changes;
  std::vector<std::string> warnings;  ///< what is remembered between runs could not be used
};

}  // namespace esker
