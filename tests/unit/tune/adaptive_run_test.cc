#include "tune/adaptive_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/tuned_runs.h"
#include "tune/simulated_run.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: simulated runs

constexpr int kSteps = 20;

std::vector<double> quiet(int n_steps) { return disturbances(n_steps, 0, 1, 0, 1); }
std::vector<double> noisy(int n_steps, unsigned seed) { return disturbances(n_steps, 0.25, 2, 0.05, seed); }

/// Doublings of the number of aggregators against the default, of 16 on 64 ranks.
std::ptrdiff_t doublings(const Setting& setting) {
  static const std::vector<Axis> axes = axes_of(facts_of(64, 16), Options());
  return offset_on(axes, setting, "aggregators");
}

/// Only the number of aggregators matters: `factor` for each doubling.
Surface slope(double factor) {
  Surface surface;
  surface.facts = facts_of(64, 16);
  surface.step_s = [=](const Setting& setting) {
    return std::pow(factor, static_cast<double>(doublings(setting)));
  };
  return surface;
}

Surface flat() { return slope(1); }

TEST(AdaptiveRun, NothingBetterKeepsTheDefault) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedRun run = simulate(flat(), quiet(kSteps), seed);
    EXPECT_TRUE(run.record.best.empty());
    EXPECT_TRUE(run.settings.back().empty());
    EXPECT_LE(run.ratio(), 1.05);
    EXPECT_GE(run.record.probes.size(), 3U);
    EXPECT_NE(run.record.state.find("settled on the default"), std::string::npos) << run.record.state;
  }
}

// At first it does not know in which direction the optimum is.
TEST(AdaptiveRun, FindsOneOptimum) {
  Surface surface = slope(1.25);
  surface.plan_s = 0.02;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedRun run = simulate(surface, quiet(kSteps), seed);
    EXPECT_EQ(run.record.best, (Setting{{"aggregators", "1"}})) << run.record.state;
    EXPECT_LE(run.record.probes.size(), 5U);
    EXPECT_GT(run.default_s / run.total_s, 1.3) << seed;
  }
}

TEST(AdaptiveRun, SettlesWhereEverythingIsWorse) {
  Surface surface = flat();
  surface.step_s = [](const Setting& setting) { return setting.empty() ? 1 : 1.2; };
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedRun run = simulate(surface, disturbances(kSteps, 0.25, 1, 0, seed), seed);
    EXPECT_TRUE(run.settings.back().empty());
    EXPECT_LE(run.ratio(), 1.08);
  }
}

// Neighbors seem better, and everything behind them is worse.
TEST(AdaptiveRun, IsNotLedAstrayByADeceptiveSurface) {
  Surface surface = flat();
  surface.step_s = [](const Setting& setting) {
    const std::ptrdiff_t away = std::abs(doublings(setting));
    return away == 0 ? 1 : away == 1 ? 0.8 : 1.3;
  };
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedRun run = simulate(surface, quiet(kSteps), seed);
    EXPECT_EQ(std::abs(doublings(run.record.best)), 1);
    EXPECT_LT(run.ratio(), 1);
  }
}

// Fewer writers were better only while the other job was running.
TEST(AdaptiveRun, ReturnsToTheDefaultIfABetterSettingBecomesWorse) {
  int num_better = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    AdaptiveRun run(Options(), seed);
    bool was_better = false;
    for (int step = 0; step < 40; ++step) {
      const bool is_few = doublings(run.choose(step, "all")) < 0;
      const double step_s = !is_few ? 1 : step < 10 ? 0.6 : 1.5;
      run.observe({step, "all", step_s, 0.01, 0.7, facts_of(64, 16)});
      was_better = was_better || (step < 10 && !run.record().best.empty());
    }
    if (was_better) ++num_better;
    EXPECT_TRUE(run.record().best.empty()) << run.record().state;
  }
  EXPECT_GE(num_better, 5);
}

TEST(AdaptiveRun, ALoadThatChangesBeginsANewSearchAtMostOnceInTwentySteps) {
  AdaptiveRun run(Options(), 1);
  int num_searches = 0;
  const auto write = [&](int step, double step_s) {
    (void)run.choose(step, "all");
    const std::string before = run.record().state;
    run.observe({step, "all", step_s, 0, 0.7, facts_of(64, 16)});
    constexpr const char* kBegins = "measuring the default";
    if (run.record().state == kBegins && before != kBegins) ++num_searches;
  };
  for (int step = 0; step < 30; ++step) write(step, 1);
  EXPECT_TRUE(run.has_settled());
  const std::size_t num_probes = run.record().probes.size();
  for (int step = 30; step < 70; ++step) write(step, step % 20 < 10 ? 1 : 3);
  EXPECT_GT(run.record().probes.size(), num_probes);
  EXPECT_GT(num_searches, 1);
  EXPECT_LE(num_searches, 1 + 2) << "the first one, and those of 40 steps";
}

TEST(AdaptiveRun, TellsWhatTheSearchCost) {
  Surface surface = flat();
  surface.plan_s = 0.02;
  surface.step_s = [](const Setting& setting) { return setting.empty() ? 1 : 1.2; };
  const SimulatedRun run = simulate(surface, quiet(kSteps), 1);
  EXPECT_GT(run.record.cost_steps, 0.2);
  EXPECT_NEAR(run.record.cost_steps, run.total_s - run.default_s, 1e-9);
}

TEST(AdaptiveRun, ExpensivePlansAreNotMade) {
  Surface surface = slope(1.5);
  surface.plan_s = 2;
  const SimulatedRun run = simulate(surface, quiet(kSteps), 1);
  EXPECT_TRUE(run.record.probes.empty());
  EXPECT_NE(run.record.state.find("a new plan takes"), std::string::npos) << run.record.state;
  EXPECT_EQ(run.total_s, run.default_s);
}

// The first plan reserves memory that all others use, too.
TEST(AdaptiveRun, APlanIsExpectedToCostWhatItTookWithoutReservingMemory) {
  for (const double reserve_s : {0.0, 1.45}) {
    AdaptiveRun run(Options(), 1);
    for (int step = 0; step < kSteps; ++step) {
      const Setting setting = run.choose(step, "all");
      const double plan_s = step == 0 ? 1.5 : setting.empty() ? 0 : 0.05;
      run.observe(
          {step, "all", setting.empty() ? 1 : 0.8, plan_s, 0.7, facts_of(64, 16), step == 0 ? reserve_s : 0});
    }
    EXPECT_EQ(run.record().probes.empty(), reserve_s == 0) << run.record().state;
  }
}

TEST(AdaptiveRun, PlansThatMoveMuchMoreAreNotTried) {
  Surface surface = flat();
  surface.store_share = 0.5;
  surface.plan_s = 0.01;
  surface.moved_bytes = [](const Setting& setting) { return setting.empty() ? 1.0 : 3.0; };
  const SimulatedRun run = simulate(surface, quiet(kSteps), 1);
  EXPECT_TRUE(std::ranges::all_of(run.settings, [](const Setting& setting) { return setting.empty(); }));
  ASSERT_FALSE(run.record.probes.empty());
  for (const TuningRecord::Probe& probe : run.record.probes) {
    EXPECT_EQ(probe.verdict.substr(0, 9), "not tried");
    EXPECT_DOUBLE_EQ(probe.predicted, 2);
  }
  EXPECT_LE(run.ratio(), 1.05);
}

TEST(AdaptiveRun, PlansAreComparedWithThatOfTheBestSetting) {
  Surface surface = flat();
  surface.store_share = 0.5;
  surface.plan_s = 0.01;
  surface.step_s = [](const Setting& setting) { return setting.empty() ? 1 : 0.5; };
  surface.moved_bytes = [](const Setting& setting) { return setting.empty() ? 1.0 : 1.2; };
  const SimulatedRun run = simulate(surface, quiet(kSteps), 1);
  ASSERT_GE(run.record.probes.size(), 2U);
  EXPECT_DOUBLE_EQ(run.record.probes[0].predicted, 1.1);
  EXPECT_EQ(run.record.probes[0].verdict, "better");
  EXPECT_DOUBLE_EQ(run.record.probes[1].predicted, 1);
}

TEST(AdaptiveRun, AFailedProbeEndsInTheDefault) {
  AdaptiveRun run(Options(), 1);
  bool has_failed = false;
  for (int step = 0; step < 12; ++step) {
    const Setting setting = run.choose(step, "all");
    EXPECT_TRUE(!has_failed || setting.empty());
    if (!setting.empty()) {
      run.fail();
      has_failed = true;
      EXPECT_TRUE(run.choose(step, "all").empty());
    }
    run.observe({step, "all", 1, 0, 0.7, facts_of(8, 8)});
  }
  EXPECT_TRUE(has_failed);
  EXPECT_EQ(run.record().probes.back().verdict, "failed");
}

TEST(AdaptiveRun, ASettingWithoutAPlanIsNotTried) {
  AdaptiveRun run(Options(), 1);
  bool was_rejected = false;
  for (int step = 0; step < 6; ++step) {
    if (!run.choose(step, "all").empty()) {
      EXPECT_TRUE(run.rejects_setting());
      was_rejected = true;
    }
    EXPECT_TRUE(run.choose(step, "all").empty());
    EXPECT_FALSE(run.rejects_setting());
    run.observe({step, "all", 1, 0, 0.7, facts_of(8, 8)});
  }
  EXPECT_TRUE(was_rejected);
}

TEST(AdaptiveRun, OtherFieldsAreOtherSteps) {
  AdaptiveRun run(Options(), 1);
  for (int step = 0; step < 30; ++step) {
    const bool is_restart = step % 4 == 0;
    const Setting setting = run.choose(step, is_restart ? "restart" : "history");
    EXPECT_TRUE(!is_restart || setting == run.record().best) << "restart files are not probes";
    const double factor = setting.empty() ? 1 : 0.5;
    run.observe(
        {step, is_restart ? "restart" : "history", (is_restart ? 100 : 1) * factor, 0, 0.7, facts_of(8, 8)});
  }
  EXPECT_NEAR(run.record().default_s, 1, 0.01);
  EXPECT_FALSE(run.record().best.empty());
}

// The setting on trial was compared with steps that are written no more.
TEST(AdaptiveRun, ASettingOnTrialEndsWithTheWorkload) {
  AdaptiveRun run(Options(), 1);
  int step = 0;
  const auto write = [&](const std::string& workload, double step_s) {
    const Setting setting = run.choose(step, workload);
    run.observe({step, workload, setting.empty() ? step_s : 0.96 * step_s, 0, 0.7, facts_of(8, 8)});
    ++step;
  };
  while (run.record().probes.empty() || run.record().probes.back().steps == 0) {
    ASSERT_LT(step, 10);
    write("history", step % 2 == 0 ? 1 : 1.1);
  }
  ASSERT_EQ(run.record().probes.back().verdict, "") << "on trial";
  while (run.workload() != "restart") {
    ASSERT_LT(step, 40);
    write("restart", 100);
  }
  EXPECT_EQ(run.record().probes.back().verdict, "not decided: another search began");
  for (int more = 0; more < 2; ++more) {
    write("restart", 100);
    EXPECT_TRUE(run.chosen().empty()) << "the default is measured first";
  }
  for (int more = 0; more < 30; ++more) write("restart", 100);
  EXPECT_NEAR(run.record().default_s, 100, 1);
  const Result<TuningRecord> told = parse_tuning(report_with(run.record()));
  EXPECT_TRUE(told.ok()) << told.status().message();
}

TEST(AdaptiveRun, ClocksThatAreWrongProveNothing) {
  for (const double wrong : {-1.0, 0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    AdaptiveRun run(Options(), 1);
    for (int step = 0; step < kSteps; ++step) {
      const bool is_probe = !run.choose(step, "all").empty();
      run.observe({step, "all", is_probe || step == 2 ? wrong : 1, 0.01, 0.7, facts_of(8, 8)});
    }
    EXPECT_TRUE(run.record().best.empty());
    EXPECT_DOUBLE_EQ(run.record().default_s, 1);
  }
}

TEST(AdaptiveRun, RunsOfOneStepAreTheDefault) {
  const SimulatedRun run = simulate(slope(1.5), quiet(1), 1);
  EXPECT_EQ(run.settings, (std::vector<Setting>{{}}));
  EXPECT_EQ(run.total_s, run.default_s);
  const SimulatedRun short_run = simulate(slope(0.5), noisy(4, 1), 1);
  EXPECT_EQ(short_run.total_s, short_run.default_s);
}

TEST(AdaptiveRun, ASeedRepeatsTheSequence) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto factors = noisy(60, seed);
    EXPECT_EQ(simulate(slope(1.3), factors, seed).settings, simulate(slope(1.3), factors, seed).settings);
  }
}

TEST(AdaptiveRun, TriesWhatAnEarlierRunFoundFirst) {
  const Setting known{{"aggregators", "1"}};
  const SimulatedRun run = simulate(slope(1.5), quiet(kSteps), 1, known);
  EXPECT_EQ(run.record.probes.front().setting, known);
  EXPECT_EQ(run.settings[4], known);
  EXPECT_EQ(run.record.best, known);
  EXPECT_TRUE(simulate(slope(1.5), quiet(kSteps), 1, Setting{}).record.probes.empty());
  const Setting hostile{{"aggregators", "-7"}, {"bits_per_block", "3"}};
  EXPECT_NE(simulate(slope(1.5), quiet(kSteps), 1, hostile).record.probes.front().setting, hostile);
}

int probes_until(const SimulatedRun& run, const Setting& setting) {
  const auto probe = std::ranges::find(run.record.probes, setting, &TuningRecord::Probe::setting);
  return static_cast<int>(probe - run.record.probes.begin()) + 1;
}

TEST(AdaptiveRun, AGoodModelFindsTheOptimumInFewerProbes) {
  Surface surface = slope(1.25);
  surface.plan_s = 0.02;
  const Setting optimum{{"aggregators", "1"}};
  const auto model = [&](const TuningFacts&, const Setting& setting) {
    return surface.step_s(setting) / surface.step_s({});
  };
  double without = 0, with = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    without += probes_until(simulate(surface, quiet(kSteps), seed), optimum);
    const SimulatedRun run = simulate(surface, quiet(kSteps), seed, std::nullopt, model);
    with += probes_until(run, optimum);
    EXPECT_EQ(run.record.best, optimum);
    EXPECT_NEAR(run.record.probes.front().modeled, run.record.probes.front().observed, 0.01);
  }
  EXPECT_LT(with, without - 0.4 * 50);
}

}  // namespace
}  // namespace esker
