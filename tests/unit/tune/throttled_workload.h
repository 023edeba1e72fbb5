// Throttled storage: the storage of `esker bench --store-rate --store-contention`, as a model.
#pragma once

#include <cmath>
#include <string>

#include "tune/random_workload.h"

namespace esker::testing_support {

/// Four ranks of one node that write `step_mib` per step to storage that takes `bytes_per_s` from one of
/// them. Each other rank that writes at the same time slows a rank down by `contention` of its time.
struct ThrottledStore {
  double bytes_per_s = 4e8, contention = 3, step_mib = 32;
  double plan_s = 0.02;
  double few_factor = 1.8;  ///< of moving samples to fewer writers than ranks

  /// Esker stores somewhat more than the samples; a few writers take longer to place them.
  [[nodiscard]] double step_s(double writers, double move_factor) const {
    constexpr double kStored = 1.5, kMoveBytesPerS = 5e8, kEach = 0.002;
    const double data_bytes = step_mib * (1 << 20);
    const double store_s = kStored * data_bytes / writers * (1 + contention * (writers - 1)) / bytes_per_s;
    const double few = 1 + (few_factor - 1) * std::log2(4 / writers) / 2;
    return store_s + move_factor * few * data_bytes / kMoveBytesPerS + kEach;
  }
};

inline Workload throttled_workload(const ThrottledStore& store) {
  constexpr int kRanks = 4;
  Workload workload;
  workload.surface.facts = facts_of(kRanks, kRanks);
  workload.axes = axes_of(workload.surface.facts, Options());
  workload.surface.step_s = [store](const Setting& setting) {
    const auto aggregators = setting.find("aggregators");
    const double writers = aggregators == setting.end() ? kRanks : std::stod(aggregators->second);
    double moves = setting.contains("transport") ? 1.2 : 1;
    if (setting.contains("restructure")) moves *= 1.3;
    return store.step_s(writers, moves);
  };
  const double default_s = workload.surface.step_s({});
  ThrottledStore free = store;
  free.bytes_per_s = HUGE_VAL;
  workload.surface.store_share = 1 - free.step_s(kRanks, 1) / default_s;
  workload.surface.plan_s = store.plan_s;
  return workload;
}

}  // namespace esker::testing_support
