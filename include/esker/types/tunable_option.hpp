// TunableOption: an option that changes how fast a run writes, and what it costs to change it.
#pragma once

#include <string>
#include <vector>

#include "esker/types/export.h"

namespace esker {

/// What it costs to change an option between two steps of a run.
enum class ChangeCost {
  kPlan,       ///< a new plan; the files stay the same, so `tune=auto` may change it between two steps
  kNewWriter,  ///< closing the dataset and appending to it
  kNewFiles,   ///< a new dataset: the option changes the bytes of the files
};

/// "a new plan", "closing and appending", "a new dataset".
ESKER_API std::string to_string(ChangeCost cost);

struct ESKER_API TunableOption {
  std::string option;  ///< as Options::set takes it
  std::string value;   ///< as configured
  ChangeCost cost = ChangeCost::kPlan;
  std::vector<std::string>
      values;  ///< worth trying; empty: set by the user, not for this workload, or any that the option takes
  std::string constraint;  ///< on the values
  bool is_set = false;     ///< set by the user, so that `tune=auto` leaves it alone
};

}  // namespace esker
