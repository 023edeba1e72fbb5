#include "write/plan_cache.h"

#include <algorithm>

namespace esker {

void PlanCache::exchange(Setting&& next) noexcept {
  if (setting_ == next) return;
  Plans plans;
  const auto known = std::ranges::find(earlier_, next, &std::pair<Setting, Plans>::first);
  if (known != earlier_.end()) {
    plans = std::move(known->second);
    earlier_.erase(known);
  }
  earlier_.emplace_back(std::move(setting_), std::move(plans_));
  if (earlier_.size() > kMostEarlier) earlier_.erase(earlier_.begin());
  plans_ = std::move(plans);
  setting_ = std::move(next);
}

void PlanCache::forget() {
  for (auto& [key, plan] : plans_) plan.ready = false;
  earlier_.clear();
}

Index PlanCache::size_bytes() const {
  Index bytes = 0;
  for (const auto& [key, plan] : plans_) bytes += memory_of(plan);
  for (const auto& [setting, plans] : earlier_) {
    for (const auto& [key, plan] : plans) bytes += memory_of(plan);
  }
  return bytes;
}

}  // namespace esker
