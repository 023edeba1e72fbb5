// A second step over MPI: see observed_run.h.
#include <gtest/gtest.h>

#include "support/fault_fixture.h"
#include "support/observed_run.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture

class SecondStepTest : public FaultTest {};

TEST_F(SecondStepTest, PlansNothingAllocatesNothingAndSendsNoMetadata) {
  for (const auto& way : ways_to_move()) {
    SCOPED_TRACE(text_of(way));
    const Watchdog watchdog("second step, " + text_of(way));
    expect_nothing_new_in_second_steps(comm_, path("run.idx"), way, false);
    if (!all_well()) return;
  }
}

}  // namespace
}  // namespace esker
