// Plans of sparse steps: a plan keeps its boxes. As long as they do not change, only the blocks are found
// again.
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "write/step_plans.h"
#include "write/step_regions.h"

namespace esker {

/// Collective.
Status StepPlans::make_sparse(const StepInput& input, StepPlan*& plan) {
  ESKER_ASSIGN_OR_RETURN(KeptFields kept, find_regions(input, plan));
  const bool is_same = have_same_blocks(kept, plan->kept);
  bool any_stale = false;
  ESKER_RETURN_IF_ERROR(
      agree(*comm_, Ballot{Status(), "", 0, "", !is_same || !maker_.fits(*plan, input)}, &any_stale));
  plan->kept = std::move(kept);
  if (any_stale) return maker_.complete(*plan, input, *plan->shared);
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    maker_.take(*plan, input);
    return Status();
  }));
  return root_does(*comm_, "plan", [&] { return maker_.check_space(*plan); });
}

/// Finds the plan of the step, and the blocks that the step stores. Collective.
Result<KeptFields> StepPlans::find_regions(const StepInput& input, StepPlan*& plan) {
  const Schema& schema = dataset_->schema();
  FormatWriter& format = *dataset_->files().format;
  bool is_stale = true, any_stale = true;
  std::vector<bool> due;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    PlanCache::Key key = key_of(input, true);
    due = key.due;
    plan = &cache_.at(std::move(key));
    is_stale = !plan->shared || plan->boxes != boxes_of(input.patches, plan->fields);
    due.resize(schema.fields().size());  // level fields are stored completely
    return maker_.forget_choices();
  }));
  const Index budget = options().memory_budget_bytes;
  StepRegions regions(*comm_, {schema, format, options().format, input.keep, input.patches, due,
                               options().keep_level, budget / 8, budget / 2, options().partial});
  ESKER_RETURN_IF_ERROR(regions.agree_on_rules(is_stale, any_stale));
  if (any_stale) ESKER_RETURN_IF_ERROR(begin_sparse(*plan, input));
  ESKER_RETURN_IF_ERROR(regions.share_levels(plan->shared->directory, plan->shared->of_field));
  if (!dataset_->is_created()) ESKER_RETURN_IF_ERROR(regions.choose_block_bits(format));
  auto kept = regions.find();
  plan->raised_from = regions.raised_from();
  return kept;
}

/// Begins a sparse plan, which keeps the boxes. Collective.
Status StepPlans::begin_sparse(StepPlan& plan, const StepInput& input) {
  ESKER_ASSIGN_OR_RETURN(SharedBoxes boxes, maker_.begin(plan, input));
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "plan", [&] {
    plan.shared = std::make_unique<SharedBoxes>(std::move(boxes));
    return Status();
  }));
  const bool few =
      size_bytes_of_all(*plan.shared) <= options().memory_budget_bytes / 8;  // the same on all ranks
  return few ? plan.shared->directory.learn_all() : Status();
}

}  // namespace esker
