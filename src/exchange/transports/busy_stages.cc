#include "exchange/transports/busy_stages.h"

#include <algorithm>

#include "base/macros.h"
#include "comm/agree.h"
#include "plan/relay_stages.h"

namespace esker {

Status BusyStages::find(Comm& comm, Comm& group, const Plan& plan) {
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    busy_.clear();
    busy_.reserve(2 * plan.rounds.size());
    for_each_stage(
        plan, [&](std::size_t, const auto& sends, const auto&) { busy_.push_back(sends.empty() ? 0 : 1); });
    return Status();
  }));
  if (!busy_.empty()) group.all_reduce_max(busy_);
  return {};
}

bool BusyStages::any() const {
  return std::any_of(busy_.begin(), busy_.end(), [](std::uint64_t busy) { return busy != 0; });
}

}  // namespace esker
