// Runs of 20 steps of workloads whose times are known for every setting, with noise and bursts of other work:
// what tuning costs at most, and how close it comes to the best setting of a grid search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tune/characterized_workload.h"
#include "tune/random_workload.h"
#include "tune/simulated_run.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: simulated runs

constexpr int kStepsOfRun = 20;

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// What simulated runs of 100 workloads came to, each over what it is compared with.
struct Quality {
  std::vector<double> totals;                      ///< time of the run over that without tuning
  std::vector<double> totals_over_best;            ///< over that with the best setting
  std::vector<double> last_over_best;              ///< last step over that with the best setting
  std::vector<double> last_over_best_aggregators;  ///< the grid has only numbers of aggregators
  std::vector<double> probes;

  [[nodiscard]] std::ptrdiff_t num_above(double ratio) const {
    return std::ranges::count_if(totals, [&](double total) { return total > ratio; });
  }
};

constexpr unsigned kWorkloads = 100;

/// A workload, its best setting of all, and that of the number of aggregators.
struct Known {
  Workload workload;
  Setting best, best_aggregators;
};
using Workloads = std::vector<Known>;

const Workloads& random_workloads() {
  static const Workloads all = [] {
    Workloads workloads;
    for (unsigned seed = 0; seed < kWorkloads; ++seed) {
      const Workload workload = random_workload(seed);
      workloads.push_back({workload, best_of_grid(workload), best_of_grid(workload, "aggregators")});
    }
    return workloads;
  }();
  return all;
}

/// Those of which `esker tune characterize` measured or computed single options, one of each kind in turn.
const Workloads& characterized_workloads() {
  static const Workloads all = [] {
    Workloads workloads;
    const std::vector<CharacterizedSurface> measured = characterized_surfaces("measured"),
                                            simulated = characterized_surfaces("simulated");
    for (unsigned seed = 0; seed < kWorkloads; ++seed) {
      const std::size_t number = seed / 2;
      const CharacterizedSurface& surface = seed % 2 == 0
                                                ? measured[number % measured.size()]
                                                : simulated[number * simulated.size() / (kWorkloads / 2)];
      const Workload workload = characterized_workload(surface, seed);
      workloads.push_back({workload, best_single_option(workload), best_of_grid(workload, "aggregators")});
    }
    return workloads;
  }();
  return all;
}

int num_tried(const TuningRecord& record) {
  return static_cast<int>(std::ranges::count_if(record.probes, [](const TuningRecord::Probe& probe) {
    return !probe.verdict.starts_with("not tried");
  }));
}

/// What a simulated run knows before, and the noise that it meets.
struct Conditions {
  double exponent = 0;  ///< a model knows ratios of times to this power: 1 exactly, -1 the wrong way round
  bool recalls_the_best = false;
  double noise = 0.25, burst_share = 0.05;
};

Quality quality_with(const Conditions& conditions, const Workloads& workloads = random_workloads()) {
  Quality quality;
  for (unsigned seed = 0; seed < kWorkloads; ++seed) {
    const Known& known = workloads[seed];
    const Surface& surface = known.workload.surface;
    AdaptiveRun::Model model;
    if (conditions.exponent != 0) {
      model = [&](const TuningFacts&, const Setting& setting) {
        return std::pow(surface.step_s(setting) / surface.step_s({}), conditions.exponent);
      };
    }
    const std::vector<double> factors =
        disturbances(kStepsOfRun, conditions.noise, 2, conditions.burst_share, 1000 + seed);
    const SimulatedRun run =
        simulate(surface, factors, seed,
                 conditions.recalls_the_best ? std::optional(known.best) : std::nullopt, model);
    const double best_s = surface.step_s(known.best), last_s = surface.step_s(run.record.best);
    const double best_total_s =
        surface.plan_s + best_s * std::accumulate(factors.begin(), factors.end(), 0.0);
    quality.totals.push_back(run.ratio());
    quality.totals_over_best.push_back(run.total_s / best_total_s);
    quality.last_over_best.push_back(last_s / best_s);
    quality.last_over_best_aggregators.push_back(last_s / surface.step_s(known.best_aggregators));
    quality.probes.push_back(num_tried(run.record));
  }
  testing::Test::RecordProperty("total", std::to_string(middle(quality.totals)));
  testing::Test::RecordProperty("total_at_most", std::to_string(std::ranges::max(quality.totals)));
  testing::Test::RecordProperty("total_over_best", std::to_string(middle(quality.totals_over_best)));
  testing::Test::RecordProperty("last_over_best", std::to_string(middle(quality.last_over_best)));
  EXPECT_LE(std::ranges::max(quality.probes), AdaptiveRun::kMostProbes);
  return quality;
}

// Half of the runs end within 16 % of the best setting of a grid search. What bounds it is below.
TEST(RandomRuns, HundredRandomWorkloadsAreNeverMuchSlower) {
  const Quality quality = quality_with({});
  EXPECT_EQ(quality.num_above(1.05), 0);
  EXPECT_LE(middle(quality.totals), 1.015);
  EXPECT_LE(middle(quality.totals_over_best), 1.22);
  EXPECT_LE(middle(quality.last_over_best), 1.16);
  EXPECT_LE(middle(quality.last_over_best_aggregators), 1.04);
}

TEST(RandomRuns, AGoodModelFindsTheBestOfAllOptions) {
  const Quality quality = quality_with({.exponent = 1});
  EXPECT_EQ(quality.num_above(1.05), 0);
  EXPECT_LE(middle(quality.totals), 0.99);
  EXPECT_LE(middle(quality.totals_over_best), 1.14);
  EXPECT_LE(middle(quality.last_over_best), 1.07);
}

// The worst model praises what is slow.
TEST(RandomRuns, AWrongModelCostsLittle) {
  const Quality quality = quality_with({.exponent = -1});
  EXPECT_EQ(quality.num_above(1.05), 0);
  EXPECT_LE(middle(quality.totals), 1.03);
}

// Without noise, the same search ends within 10 %: the rest is the noise.
TEST(RandomRuns, WithoutNoiseTheProbesSuffice) {
  const Quality quality = quality_with({.noise = 0.01, .burst_share = 0});
  EXPECT_LE(quality.num_above(1.05), 1);
  EXPECT_LE(middle(quality.last_over_best), 1.08);
  EXPECT_LE(middle(quality.totals_over_best), 1.18);
}

// An oracle tries the best setting of the grid first. Its steps with the default, and those that prove the
// setting, already cost more than 10 % of a run.
TEST(RandomRuns, AnOracleHasToProveItsSetting) {
  const Quality quality = quality_with({.recalls_the_best = true});
  EXPECT_EQ(quality.num_above(1.05), 0);
  EXPECT_LE(middle(quality.totals_over_best), 1.16);
  EXPECT_LE(middle(quality.last_over_best), 1.07);
}

// What options change on a machine that was measured, and on machines that are simulated.
TEST(RandomRuns, HundredCharacterizedWorkloadsEndNearTheBestOption) {
  const Quality quality = quality_with({}, characterized_workloads());
  EXPECT_EQ(quality.num_above(1.05), 0);
  EXPECT_LE(middle(quality.last_over_best), 1.10);
  EXPECT_LE(middle(quality.totals_over_best), 1.10);
}

}  // namespace
}  // namespace esker
