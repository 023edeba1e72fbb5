#include "tune/effects.h"

#include <gtest/gtest.h>

#include <cmath>

namespace esker {
namespace {

/// A number that matters for all of a step, and a way to store.
Expectation expectation() {
  return {{{"aggregators", {"1", "2", "4", "8", "0", "32", "64"}, 4, 1, Phase::kBoth},
           {"store_thread", {"auto", "true", "false"}, 0, 0, Phase::kStore}},
          0.8,
          {std::vector<double>(7), std::vector<double>(3)}};
}

const Position kDefault{4, 0}, kFewer{3, 0}, kFewest{0, 0}, kMore{5, 0}, kThread{4, 1}, kBoth{3, 1};

struct Written {
  Position position;
  double seconds = 1;
};

Estimate estimate_after(std::vector<Written> steps, const Position& position,
                        const LogRatio* model = nullptr) {
  const Expectation expected = expectation();
  StepTimes times;
  for (int i = 0; i < 4; ++i) times.add(kDefault, 1);
  for (const Written& step : steps) times.add(step.position, step.seconds);
  return Effects(expected, model, times).estimate(position);
}

TEST(Effects, TheDefaultIsKnown) {
  const Estimate estimate = estimate_after({{kFewer, 0.8}}, kDefault);
  EXPECT_EQ(estimate.mean, 0);
  EXPECT_EQ(estimate.deviation, 0);
}

TEST(Effects, StepsProveMoreThanOneStep) {
  const std::vector<Written> one{{kFewer, 0.85}}, four(4, one[0]);
  EXPECT_LT(estimate_after(one, kFewer).mean, 0);
  EXPECT_GT(estimate_after(one, kFewer).mean, std::log(0.85)) << "a lucky step";
  EXPECT_GT(estimate_after(one, kFewer).at_most(), 0);
  EXPECT_LT(estimate_after(four, kFewer).at_most(), 0);
  EXPECT_NEAR(estimate_after(four, kFewer).mean, std::log(0.85), 0.03);
}

TEST(Effects, OfSeveralOptionsAdd) {
  const std::vector<Written> each{{kFewer, 0.8}, {kThread, 0.9}, {kFewer, 0.8}, {kThread, 0.9}};
  EXPECT_NEAR(estimate_after(each, kBoth).mean,
              estimate_after(each, kFewer).mean + estimate_after(each, kThread).mean, 0.01);
  EXPECT_LT(estimate_after(each, kBoth).at_most(), 0) << "which was not written";
}

TEST(Effects, OfOrderedValuesFollowALine) {
  const std::vector<Written> worse{{kFewer, 1.3}, {kFewer, 1.3}};
  EXPECT_GT(estimate_after(worse, kFewest).mean, estimate_after(worse, kFewer).mean);
  EXPECT_LT(estimate_after(worse, kMore).mean, 0) << "the other direction";
  EXPECT_GT(estimate_after(worse, kFewest).deviation, estimate_after(worse, kMore).deviation) << "far away";
}

TEST(Effects, ABurstTeachesLittle) {
  const std::vector<Written> quiet(3, {kFewer, 0.8});
  std::vector<Written> hit = quiet;
  hit.push_back({kFewer, 3});
  EXPECT_NEAR(estimate_after(hit, kFewer).mean, estimate_after(quiet, kFewer).mean, 0.08);
}

TEST(Effects, ALoadThatDriftsIsNoEffect) {
  std::vector<Written> steps;
  for (int i = 0; i < 16; ++i) {
    steps.push_back({i % 2 == 0 ? kDefault : kFewer, std::pow(1.03, i) * (i % 2 == 0 ? 1 : 0.8)});
  }
  EXPECT_NEAR(estimate_after(steps, kFewer).mean, std::log(0.8), 0.1);
}

TEST(Effects, AModelIsExpectedUntilStepsSayMore) {
  const LogRatio model = [](const Position& position) { return position[1] == 1 ? -0.3 : 0; };
  EXPECT_LT(estimate_after({}, kThread, &model).mean, -0.25);
  EXPECT_GT(estimate_after(std::vector<Written>(6, {kThread, 1.2}), kThread, &model).mean, -0.15);
}

}  // namespace
}  // namespace esker
