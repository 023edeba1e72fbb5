// tuning_space: the options that change how fast a planned step is written, and what it costs to change them.
//
//   const esker::PlanReport plan = esker::plan_step(schema, 64, split, options).value();
//   for (const esker::TunableOption& option : esker::tuning_space(plan, options)) {
//     std::cout << option.option << ": " << to_string(option.cost) << "\n";
//   }
#pragma once

#include <string>
#include <vector>

#include "esker/plan.hpp"
#include "esker/types/export.h"
#include "esker/types/options.hpp"
#include "esker/types/tunable_option.hpp"

namespace esker {

/// The options that change the speed of a step with this plan, which was made with `options`, and the values
/// worth trying. Options whose `cost` is kPlan never change the bytes of the files. Local, pure.
ESKER_API std::vector<TunableOption> tuning_space(const PlanReport& plan, const Options& options);

/// The kind of machine for which `tune=auto` remembers settings: its name without digits. Local.
ESKER_API std::string machine_kind();

/// Where a writer with `tune=auto` looks for a model if `tune_model` names none: esker/tune_model.json in the
/// user's cache; empty if neither XDG_CACHE_HOME nor HOME is an absolute path. Local.
ESKER_API std::string tune_model_path();

}  // namespace esker
