// Simulated runs: the adaptive loop on surfaces whose times are known.
//
// The disturbance of step i, noise and bursts of other work, is the same factor whatever the setting, so that
// the total time of a run can be compared with that of the same run without tuning. A step whose setting
// differs from the one before pays for a new plan, and so do a plan that is made and not used, and the first
// step of both runs.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tune/adaptive_run.h"

namespace esker::testing_support {

inline TuningFacts facts_of(int ranks, int aggregators) {
  TuningFacts facts;
  facts.ranks = ranks;
  facts.aggregators = aggregators;
  facts.buffer_bytes = Index{1} << 20;
  return facts;
}

/// What a setting costs, in seconds; and what its plan says that it moves, in bytes.
struct Surface {
  std::function<double(const Setting&)> step_s;
  std::function<double(const Setting&)> moved_bytes = [](const Setting&) { return 1.0; };
  std::function<bool(Index, const Setting&)> fails = [](Index, const Setting&) {
    return false;
  };  ///< the step
  double plan_s = 0.05;
  double store_share = 0.7;
  TuningFacts facts;
};

struct SimulatedRun {
  double total_s = 0, default_s = 0;  ///< with tuning, and without
  std::vector<Setting> settings;      ///< of each step
  TuningRecord record;

  [[nodiscard]] double ratio() const { return total_s / default_s; }
};

/// Factors of steps: uniform within +-`noise`, and a burst of `burst` times with a probability of
/// `burst_share`.
inline std::vector<double> disturbances(int n_steps, double noise, double burst, double burst_share,
                                        unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> within(1 - noise, 1 + noise), share(0, 1);
  std::vector<double> factors;
  for (int i = 0; i < n_steps; ++i) {
    const double factor = within(random);
    factors.push_back(share(random) < burst_share ? factor * burst : factor);
  }
  return factors;
}

/// The index in an axis's values of a setting's value, or of the configured one.
inline std::ptrdiff_t place_on(const std::vector<Axis>& axes, const Setting& setting,
                               const std::string& option) {
  for (const Axis& axis : axes) {
    if (axis.option != option) continue;
    const auto value = setting.find(option);
    if (value == setting.end()) return static_cast<std::ptrdiff_t>(axis.start);
    return std::ranges::find(axis.values, value->second) - axis.values.begin();
  }
  return 0;
}

/// How many values of the axis a setting is away from the configured one.
inline std::ptrdiff_t offset_on(const std::vector<Axis>& axes, const Setting& setting,
                                const std::string& option) {
  return place_on(axes, setting, option) - place_on(axes, {}, option);
}

/// A writer keeps the plans of so many settings.
constexpr std::size_t kKeptPlans = 3;

inline SimulatedRun simulate(const Surface& surface, const std::vector<double>& factors, std::uint64_t seed,
                             const std::optional<Setting>& recalled = std::nullopt,
                             AdaptiveRun::Model model = nullptr) {
  AdaptiveRun run(Options(), seed);
  run.consult(std::move(model));
  if (recalled) run.recall(*recalled);
  SimulatedRun result;
  std::vector<Setting> kept;  // plans: the last one is that of the step before
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto step = static_cast<Index>(i);
    double plan_s = 0;
    Setting setting = run.choose(step, "all");
    while (kept.empty() || kept.back() != setting) {
      const bool is_known = std::erase(kept, setting) > 0;
      kept.push_back(setting);
      if (kept.size() > kKeptPlans) kept.erase(kept.begin());
      if (is_known) continue;
      plan_s += surface.plan_s;
      (void)run.accepts_plan(surface.moved_bytes(setting), surface.plan_s);
      setting = run.choose(step, "all");
    }
    result.settings.push_back(setting);
    if (surface.fails(step, setting)) {
      run.fail();
      continue;
    }
    const double step_s = surface.step_s(setting) * factors[i];
    run.observe({step, "all", step_s, plan_s, surface.store_share, surface.facts});
    result.total_s += step_s + plan_s;
    result.default_s += surface.step_s({}) * factors[i] + (i == 0 ? surface.plan_s : 0);
  }
  result.record = run.record();
  return result;
}

}  // namespace esker::testing_support
