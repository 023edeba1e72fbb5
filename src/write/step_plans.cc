#include "write/step_plans.h"

#include "base/clock.h"
#include "base/macros.h"

namespace esker {

Status StepPlans::offer(const StepInput& input, Offer& offer) {
  offer.keeps = !input.keep.empty() || options().keep_level < 0;
  if (offer.keeps) return {};
  const bool takes_setting = tuner_ && comm_->rank() == 0 && tuner_->choose(input.step, workload_of(input));
  offer.is_stale = !take(input, offer.plan) || takes_setting;
  return comm_->rank() == 0 && !offer.is_stale ? maker_.check_space(*offer.plan) : Status();
}

Result<StepPlan*> StepPlans::plan_for(const StepInput& input, const Offer& offer) {
  StepPlan* plan = offer.plan;
  if (!offer.keeps && !offer.is_stale) return plan;
  const StepTraffic::For purpose(record_->traffic(), StepTraffic::Purpose::kPlan);
  const Stopwatch watch;
  ESKER_RETURN_IF_ERROR(maker_.make_room_for_copies(input));
  ESKER_RETURN_IF_ERROR(offer.keeps ? make_sparse(input, plan) : make_dense(input, plan));
  record_->counters().plan_s += watch.elapsed_s();
  return plan;
}

/// The plan of a dense step. Whether it fits; then it has taken the patches. Local.
bool StepPlans::take(const StepInput& input, StepPlan*& plan) {
  plan = &cache_.at(key_of(input, false));
  if (!maker_.fits(*plan, input) || plan->boxes != boxes_of(input.patches, plan->fields)) return false;
  maker_.take(*plan, input);
  return true;
}

/// Collective.
Status StepPlans::make_dense(const StepInput& input, StepPlan*& plan) {
  const auto make = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(SharedBoxes boxes, maker_.begin(*plan, input));
    return maker_.complete(*plan, input, boxes);
  };
  for (bool again = true; again;) {
    again = false;
    const Stopwatch watch;
    const double reserved_s = buffers().reserving_s();
    bool is_planned = false;
    if (tuner_) ESKER_RETURN_IF_ERROR(take_setting(input, plan, is_planned));
    if (is_planned) break;
    Status planned = make();
    if (tuner_) {
      const double plan_s = watch.elapsed_s() - (buffers().reserving_s() - reserved_s);
      planned = tuner_->judge(*comm_, planned, plan->exchange.plan, plan_s, again);
    }
    ESKER_RETURN_IF_ERROR(planned);
  }
  return {};
}

void StepPlans::close() {
  tell_tuner([&] { tuner_->remember(); });
}

}  // namespace esker
