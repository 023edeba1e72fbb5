// How a step begins: the first agreement, a plan, and places in files.
#include "write/step_transaction.h"

#include <fmt/format.h>

#include <cassert>
#include <string>

#include "base/clock.h"
#include "base/counting.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/gather.h"

namespace esker {

// What may need memory once the plan is known is done here, before the ranks communicate.
Status StepTransaction::open(bool later) {
  assert(state_ == State::kNew);
  const Stopwatch watch;
  std::uint64_t hash = 0;
  std::string arguments;
  const Status mine = guarded("end_step", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(input_.status);
    hash = hash_text(0, fmt::format("{} {:.17g} {}", input_.step, input_.time, later));
    // Another rank may count from another number.
    arguments = fmt::format("step {}, time {:.17g}{}", counted(input_.step), input_.time,
                            later ? ", asynchronous" : "");
    ESKER_RETURN_IF_ERROR(dataset_.check_step(input_.step));
    record_.make_room();
    return plans_.offer(input_, offer_);
  });
  bool any_stale = false, any_keeps = false;
  Status agreed =
      agree(comm_, Ballot{mine, "end_step", hash, arguments, offer_.is_stale, 0, offer_.keeps}, &any_stale,
            &any_keeps);
  offer_.is_stale = any_stale;
  offer_.keeps = any_keeps;
  opening_s_ = watch.elapsed_s();
  record_.opened(input_.step, opening_s_, agreed.ok());
  if (agreed.ok()) state_ = State::kOpen;
  return agreed;
}

Status StepTransaction::plan() {
  assert(state_ == State::kOpen);
  ESKER_ASSIGN_OR_RETURN(plan_, plans_.plan_for(input_, offer_));
  // Creating may replace a dataset. Later steps find such samples when they code them.
  if (!dataset_.is_created() && plan_->cells) {
    ESKER_RETURN_IF_ERROR(
        all_do(comm_, "end_step", [&] { return plan_->cells->check_values(plan_->patches); }));
  }
  ESKER_RETURN_IF_ERROR(dataset_.prepare_files());
  ESKER_RETURN_IF_ERROR(prepare_places());
  state_ = State::kPlanned;
  return {};
}

/// If rank 0 allocates file offsets for the step, all ranks receive them. Collective.
Status StepTransaction::prepare_places() {
  if (!plan_->layouts->needs_places()) return {};
  const Stopwatch watch;
  std::string places;
  ESKER_RETURN_IF_ERROR(root_does(comm_, "prepare", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(places, format().prepare(stored_.step, stored_.time, plan_->due));
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(places, share_text(comm_, std::move(places), 0));
  Status taken = all_do(comm_, "prepare", [&] { return plan_->layouts->take_places(places); });
  record_.counters().commit_s += watch.elapsed_s();
  return taken;
}

}  // namespace esker
