#include "tune/step_times.h"

#include <gtest/gtest.h>

#include <cmath>

namespace esker {
namespace {

StepTimes of(const std::vector<double>& seconds) {
  StepTimes times;
  for (const double s : seconds) times.add({0}, s);
  return times;
}

double typical_of(const std::vector<double>& seconds) { return of(seconds).typical_s({0}); }

TEST(StepTimes, TheTypicalTimeLeavesOutABurst) {
  EXPECT_EQ(typical_of({}), 0);
  EXPECT_NEAR(typical_of({2, 8}), 4, 1e-9);
  EXPECT_NEAR(typical_of({1, 1, 9}), 1, 1e-9);
  EXPECT_NEAR(typical_of({9, 9, 9, 1, 1, 1, 1, 1, 1}), 1, 1e-9) << "old steps are forgotten";
  EXPECT_EQ(of({1}).typical_s({1}), 0) << "another setting";
}

TEST(StepTimes, TheDeviationIsThatOfStepsWithOneSetting) {
  StepTimes times;
  const double unknown = times.deviation();
  for (int i = 0; i < 6; ++i) times.add({static_cast<std::size_t>(i % 2)}, i % 2 == 0 ? 1 : 2);
  EXPECT_LT(times.deviation(), unknown) << "all steps with one setting are alike";
  for (int i = 0; i < 12; ++i) times.add({2}, i % 2 == 0 ? 1 : 1.4);
  EXPECT_NEAR(times.deviation(), std::log(1.4) / 2, 0.05);
}

}  // namespace
}  // namespace esker
