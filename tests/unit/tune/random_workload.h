// Random workloads: machines and runs whose times are known for every setting.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tune/simulated_run.h"

namespace esker::testing_support {

/// A random machine and workload: writers share the storage, which has an optimal number of them; other
/// options matter by a few percent to a third.
struct Workload {
  Surface surface;
  std::vector<Axis> axes;
};

inline Workload random_workload(unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const int ranks = 1 << std::uniform_int_distribution<int>(2, 10)(random);
  const int aggregators = std::max(1, ranks >> std::uniform_int_distribution<int>(0, 4)(random));
  Workload workload;
  workload.surface.facts = facts_of(ranks, aggregators);
  workload.axes = axes_of(workload.surface.facts, Options());
  const double best_writers = uniform(-3, 3);  // doublings from the default
  const double starvation = uniform(0, 0.9), contention = uniform(0, 0.7);
  const double store_share = uniform(0.3, 0.95), thread_gain = uniform(0.85, 1.1);
  const double messages_factor = uniform(0.9, 1.6), placement_factor = uniform(0.9, 1.3);
  const double boxes_factor = uniform(0.8, 1.6), buffer_factor = uniform(0.9, 1.1);
  workload.surface.store_share = store_share;
  workload.surface.plan_s = uniform(0.005, 0.1);
  const std::vector<Axis> axes = workload.axes;
  const auto offset = [=](const Setting& setting, const char* option) {
    return offset_on(axes, setting, option);
  };
  const auto store_s = [=](const Setting& setting) {
    const double away = static_cast<double>(offset(setting, "aggregators")) - best_writers;
    double factor = std::exp2(away < 0 ? -starvation * away : contention * away);
    if (setting.contains("store_thread")) factor *= thread_gain;
    factor *=
        std::pow(buffer_factor,
                 std::min<double>(3, static_cast<double>(std::abs(offset(setting, "collective_buffer")))));
    return factor;
  };
  const double default_store_s = store_s({});
  const auto move_s = [=](const Setting& setting) {
    double factor = setting.contains("transport") ? messages_factor : 1;
    if (setting.contains("aggregator_placement")) factor *= placement_factor;
    if (setting.contains("restructure")) factor *= boxes_factor;
    return factor;
  };
  workload.surface.step_s = [=](const Setting& setting) {
    return store_share * store_s(setting) / default_store_s + (1 - store_share) * move_s(setting);
  };
  const double misjudged = uniform(0.8, 1.2);  // what the plan says is about right
  workload.surface.moved_bytes = [=](const Setting& setting) {
    return setting.empty() ? 1 : move_s(setting) * misjudged;
  };
  return workload;
}

/// The best of all combinations of values.
inline Setting best_of_grid(const Workload& workload, const std::string& only = "") {
  Setting best;
  double least_s = workload.surface.step_s(best);
  std::vector<Setting> settings{{}};
  for (const Axis& axis : workload.axes) {
    if (!only.empty() && axis.option != only) continue;
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (std::size_t v = 0; v < axis.values.size(); ++v) {
        if (axis.option == "transport" && v > 1) continue;  // one factor for all others
        longer.push_back(setting);
        if (v == axis.start) continue;
        longer.back()[axis.option] = axis.values[v];
        const double step_s = workload.surface.step_s(longer.back());
        if (step_s < least_s) best = longer.back();
        least_s = std::min(least_s, step_s);
      }
    }
    settings = std::move(longer);
  }
  return best;
}

}  // namespace esker::testing_support
