// Plans of steps that are written with other options than those before: between the tuner and the plans.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "write/describe.h"
#include "write/step_plans.h"

namespace esker {

/// The options that rank 0 chose for this step, on all ranks. `plan`: that of the step with them; it has to
/// be made, unless `is_planned`. Collective.
Status StepPlans::take_setting(const StepInput& input, StepPlan*& plan, bool& is_planned) {
  ESKER_ASSIGN_OR_RETURN(std::optional<Options> options, tuner_->take(*comm_));
  if (!options) return {};
  FilePattern pattern;
  ExchangePolicy policy;
  Setting next;
  Status status = all_do(*comm_, "tune", [&]() -> Status {
    const FilePattern& now = maker_.pattern();
    ESKER_ASSIGN_OR_RETURN(pattern,
                           FilePattern::of(now.stripes, comm_->size(), dataset_->files().top, *options));
    pattern.most_writers = now.most_writers;
    policy = policy_for_writing(*options, comm_->size());
    next = tuner_->in_force();
    cache_.make_room();
    return {};
  });
  if (!status.ok()) {
    tuner_->forget();
    return status;
  }
  cache_.exchange(std::move(next));
  maker_.follow(std::move(*options), pattern, std::move(policy));
  std::array<std::uint64_t, 1> any_misfits{0};
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "tune", [&]() -> Status {
    const bool fits = take(input, plan);
    any_misfits[0] = fits ? 0 : 1;
    return fits && comm_->rank() == 0 ? maker_.check_space(*plan) : Status();
  }));
  comm_->all_reduce_max(any_misfits);
  is_planned = any_misfits[0] == 0;
  return !is_planned ? Status() : all_do(*comm_, "tune", [&] {
    maker_.planner().use(*plan);
    return Status();
  });
}

/// Steps that store the same fields are of one workload.
std::string StepPlans::workload_of(const StepInput& input) {
  const Schema& schema = dataset_->schema();
  if (schema_hash_.empty()) schema_hash_ = fmt::format("{:016x}", hash_text(0, describe_schema(schema)));
  std::string text = schema_hash_ + " ";
  for (const bool is_due : input.fields_stored(schema)) text += is_due ? '1' : '0';
  return text;
}

void StepPlans::observe(const StepPlan& plan, const StepInput& input, const StepCost& cost) {
  tell_tuner([&] {
    TunedStep step;
    step.step = input.step;
    step.workload = workload_of(input);
    step.step_s = cost.seconds;
    step.plan_s = cost.plan_s;
    step.store_share = cost.seconds > 0 ? cost.store_s / cost.seconds : 0;
    step.reserve_s = cost.reserve_s;
    step.facts.buffer_bytes = cost.buffer_bytes;
    step.facts.ranks = comm_->size();
    step.facts.fields = static_cast<int>(plan.fields.size());
    step.facts.step_bytes = plan.data_bytes;
    step.facts.aggregators =
        std::max(1, plan.aggregates ? plan.exchange.num_aggregators : plan.exchange.num_writers);
    step.facts.shares_a_file = plan.layouts->shares_a_file();
    step.facts.compresses = plan.layouts->compresses();
    Options alone = options();
    alone.aggregate = false;
    step.facts.may_write_alone = check_phases(alone, *plan.layouts).ok();
    step.facts.knows_stripes = maker_.pattern().stripes.size_bytes > 0;
    tuner_->observe(step);
  });
}

}  // namespace esker
