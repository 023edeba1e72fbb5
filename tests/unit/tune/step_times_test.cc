#include "tune/step_times.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

StepTimes of(const std::vector<double>& seconds) {
  StepTimes times;
  for (const double s : seconds) times.add(s);
  return times;
}

TEST(StepTimes, TheTypicalTimeLeavesOutABurst) {
  EXPECT_EQ(of({}).typical_s(), 0);
  EXPECT_NEAR(of({2, 8}).typical_s(), 4, 1e-9);
  EXPECT_NEAR(of({1, 1, 9}).typical_s(), 1, 1e-9);
  EXPECT_NEAR(of({9, 9, 9, 1, 1, 1, 1, 1, 1}).typical_s(), 1, 1e-9) << "old steps are forgotten";
}

TEST(StepTimes, OneOrTwoStepsProveLittle) {
  const StepTimes reference = of({1, 1.1, 0.9, 1});
  EXPECT_FALSE(is_faster(of({0.3}), reference)) << "one step";
  EXPECT_TRUE(is_faster(of({0.6, 0.6}), reference));
  EXPECT_FALSE(is_faster(of({0.9, 0.95}), reference));
  EXPECT_FALSE(is_faster(of({0.6, 0.6}), of({1, 1}))) << "two reference steps";
  EXPECT_FALSE(is_faster(reference, reference));
}

TEST(StepTimes, MoreStepsProveMore) {
  EXPECT_FALSE(is_faster(of({0.85, 0.85}), of({1, 1, 1})));
  EXPECT_TRUE(is_faster(of({0.85, 0.85, 0.85, 0.85, 0.85}), of({1, 1, 1, 1, 1, 1})));
}

}  // namespace
}  // namespace esker
