// PlanCache: the plans of a run, by what a step stores, for the setting in force and a few before it. A
// search for a faster setting returns to them. Local; the same operations in the same order on all ranks,
// because communicators end with plans.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tune/setting.h"
#include "write/step_plan.h"

namespace esker {

class PlanCache {
 public:
  struct Key {
    std::vector<bool> due;
    bool is_sparse = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// The plan of such steps; made empty if there was none. Valid until the plans are exchanged.
  StepPlan& at(Key key) { return plans_[std::move(key)]; }
  /// Reserves what exchange() needs.
  void make_room() { earlier_.reserve(kMostEarlier + 1); }
  /// Plans of the setting `next` from now on. After make_room().
  void exchange(Setting&& next) noexcept;
  /// No plan fits any more.
  void forget();
  [[nodiscard]] Index size_bytes() const;

 private:
  using Plans = std::map<Key, StepPlan>;
  static constexpr std::size_t kMostEarlier = 2;

  Plans plans_;
  Setting setting_;                                 // that tuning chose for these plans
  std::vector<std::pair<Setting, Plans>> earlier_;  // of settings before it, the latest at the end
};

}  // namespace esker
