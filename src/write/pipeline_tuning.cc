// Steps that are written with other options than those before: the part of WritePipeline between the tuner
// and the plans.
#include <algorithm>
#include <array>
#include <utility>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "write/describe.h"
#include "write/pipeline.h"

namespace esker {

/// Plans of the setting `next` from now on. Those of a few settings are kept: a search returns to them. Made
/// on all ranks in the same order, because communicators end with plans; it cannot fail on some of them,
/// because `earlier_plans_` has room.
void WritePipeline::exchange_plans(Setting&& next) noexcept {
  if (setting_ == next) return;
  Plans plans;
  const auto known = std::ranges::find(earlier_plans_, next, &std::pair<Setting, Plans>::first);
  if (known != earlier_plans_.end()) {
    plans = std::move(known->second);
    earlier_plans_.erase(known);
  }
  earlier_plans_.emplace_back(std::move(setting_), std::move(plans_));
  if (earlier_plans_.size() > kMostEarlier) earlier_plans_.erase(earlier_plans_.begin());
  plans_ = std::move(plans);
  setting_ = std::move(next);
}

/// The options that rank 0 chose for this step, on all ranks. `plan`: that of the step with them; it has to
/// be made, unless `is_planned`. Collective.
Status WritePipeline::take_setting(const StepInput& input, StepPlan*& plan, bool& is_planned) {
  ESKER_ASSIGN_OR_RETURN(std::optional<Options> options, tuner_->take(*comm_));
  if (!options) return {};
  FilePattern pattern;
  ExchangePolicy policy;
  Setting next;
  const Status status = all_do(*comm_, "tune", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(pattern, FilePattern::of(file_pattern_.stripes, comm_->size(), top_, *options));
    policy = policy_for_writing(*options, comm_->size());
    next = tuner_->in_force();
    earlier_plans_.reserve(kMostEarlier + 1);
    return {};
  });
  if (!status.ok()) {
    tuner_->forget();
    return status;
  }
  exchange_plans(std::move(next));
  pattern.most_writers = file_pattern_.most_writers;
  file_pattern_ = pattern;
  planner_.follow(*options, std::move(policy));
  options_ = std::move(*options);
  buffers_.withdraw();  // another transport may need other epochs
  std::array<std::uint64_t, 1> any_misfits{0};
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "tune", [&]() -> Status {
    const bool fits = take_plan(input, plan);
    any_misfits[0] = fits ? 0 : 1;
    return fits && comm_->rank() == 0 ? check_space(*plan) : Status();
  }));
  comm_->all_reduce_max(any_misfits);
  is_planned = any_misfits[0] == 0;
  return !is_planned ? Status() : all_do(*comm_, "tune", [&] {
    planner_.use(*plan);
    return Status();
  });
}

/// Steps that store the same fields are of one workload.
std::string WritePipeline::workload_of(const StepInput& input) {
  if (schema_hash_.empty()) schema_hash_ = fmt::format("{:016x}", hash_text(0, describe_schema(schema_)));
  std::string text = schema_hash_ + " ";
  for (const bool is_due : fields_stored(input)) text += is_due ? '1' : '0';
  return text;
}

/// Tells the tuner of a step that was committed: its times and `facts.buffer_bytes` are set.
void WritePipeline::observe_step(const StepPlan& plan, const StepInput& input, TunedStep step) {
  tell_tuner([&] {
    step.step = input.step;
    step.workload = workload_of(input);
    step.facts.ranks = comm_->size();
    step.facts.fields = static_cast<int>(plan.fields.size());
    step.facts.step_bytes = plan.data_bytes;
    step.facts.aggregators =
        std::max(1, plan.aggregates ? plan.exchange.num_aggregators : plan.exchange.num_writers);
    step.facts.shares_a_file = plan.layouts->shares_a_file();
    step.facts.compresses = plan.layouts->compresses();
    Options alone = options_;
    alone.aggregate = false;
    step.facts.may_write_alone = check_phases(alone, *plan.layouts).ok();
    step.facts.knows_stripes = file_pattern_.stripes.size_bytes > 0;
    tuner_->observe(step);
  });
}

}  // namespace esker
