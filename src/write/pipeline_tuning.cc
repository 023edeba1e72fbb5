// Steps that are written with other options than those before: the part of WritePipeline between the tuner
// and the plans.
#include <algorithm>
#include <utility>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "write/describe.h"
#include "write/pipeline.h"

namespace esker {

/// The options that rank 0 chose for this step, on all ranks. Plans that were made with others do not fit.
/// Collective.
Status WritePipeline::take_setting() {
  ESKER_ASSIGN_OR_RETURN(std::optional<Options> options, tuner_->take(*comm_));
  if (!options) return {};
  FilePattern pattern;
  ExchangePolicy policy;
  const Status status = all_do(*comm_, "tune", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(pattern, FilePattern::of(file_pattern_.stripes, comm_->size(), top_, *options));
    policy = policy_for_writing(*options, comm_->size());
    return {};
  });
  if (!status.ok()) {
    tuner_->forget();
    return status;
  }
  pattern.most_writers = file_pattern_.most_writers;
  file_pattern_ = pattern;
  planner_.follow(*options, std::move(policy));
  options_ = std::move(*options);
  for (auto& [key, plan] : plans_) plan.ready = false;
  buffers_.withdraw();  // another transport may need other epochs
  return {};
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
