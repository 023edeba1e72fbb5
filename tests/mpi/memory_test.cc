// Memory runs out on any rank, at any allocation of any collective call: all ranks return the same error or
// succeed, and none hangs. The next attempt succeeds, with the bytes of a run without faults.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/macros.h"
#include "support/memory_fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

class MemoryFaults : public MemoryFaultTest {
 protected:
  void fail_in_a_step(const std::map<std::string, std::string>& way);
};

TEST_P(MemoryFaults, InAStepAreAgreedAndTheNextStepSucceeds) {
  for (const auto& way : ways(false)) {
    fail_in_a_step(way);
    if (!all_well()) return;
  }
}

// Plan, pack and aggregate.
void MemoryFaults::fail_in_a_step(const std::map<std::string, std::string>& way) {
  RunPlan run = plan(GetParam());
  run.overwrite = true;
  take_way(run, way);
  auto pipeline = open_run(comm_, store_, run).value();
  commit_step(*pipeline, comm_, run, 0).check();
  for (const bool plans : {false, true}) {
    for_each_fault([&](const NewFault& fault, int victim) {
      if (plans) ++run.seed;  // other boxes: the step is planned again
      StepData data(comm_, run, 1);
      const bool met = fail((plans ? "planned step, " : "step, ") + text_of(way), fault, victim,
                            [&] { return commit_step(*pipeline, data); });
      if (static_cast<Index>(pipeline->times().size()) < 2) {
        const Status again = commit_step(*pipeline, comm_, run, 1);
        EXPECT_TRUE(again.ok()) << again.message();
      }
      expect_undisturbed(run, directory_, kLock);
      pipeline->rewind({}, time_of(0)).check();
      return met;
    });
    if (!all_well()) return;
  }
  commit_step(*pipeline, comm_, run, 1).check();
  pipeline->close({}).check();
  expect_clean(run, 2);
}

// Shared memory is unavailable on all ranks.
TEST_P(MemoryFaults, OfTheNodeAreErrorsIfItMustBeSharedAndElseMessagesAreSent) {
  const Watchdog watchdog("no shared memory");
  RunPlan run = plan(GetParam());
  run.overwrite = true;
  ::setenv("ESKER_TEST_SHARED_BYTES", "1", 1);
  for (const char* transport : {"shared", "leaders", "auto"}) {
    run.options["transport"] = transport;
    auto pipeline = open_run(comm_, store_, run).value();
    for (Index step = 0; step < 2; ++step) {
      const Status status = write_step(*pipeline, comm_, run, step);
      const bool must_share = run.options["transport"] != "auto" && comm_.size() > 1;
      expect_everywhere(status, must_share ? Code::kOutOfMemory : Code::kOk);
      if (!must_share) continue;
      EXPECT_NE(status.message().find("of memory on this node"), std::string::npos) << status.message();
      ::unsetenv("ESKER_TEST_SHARED_BYTES");
      const Status again = write_step(*pipeline, comm_, run, step);
      EXPECT_TRUE(again.ok()) << again.message();
      ::setenv("ESKER_TEST_SHARED_BYTES", "1", 1);
      pipeline->rewind({}, -1).check();
      break;
    }
    EXPECT_TRUE(pipeline->close({}).ok());
  }
  ::unsetenv("ESKER_TEST_SHARED_BYTES");
  expect_clean(run, 2);
  expect_undisturbed(run, directory_);
}

TEST_P(MemoryFaults, InCreatingARunAreAgreed) {
  RunPlan run = plan(GetParam());
  run.overwrite = true;
  run.end_step = 1;
  const Result<Options> options = options_of(run);  // made before memory runs out
  const Schema schema = schema_of(run);
  std::optional<StepData> data;  // of one attempt
  const auto write = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(auto pipeline, WritePipeline::create(comm_.get(), store_, run.path, options));
    ESKER_RETURN_IF_ERROR(pipeline->define({}, schema));
    ESKER_RETURN_IF_ERROR(pipeline->write_step(std::move(data->input)));
    return pipeline->close({});
  };
  for_each_fault([&](const NewFault& fault, int victim) {
    data.emplace(comm_, run, 0);
    return fail("run", fault, victim, write);
  });
  data.emplace(comm_, run, 0);
  write().check();
  expect_clean(run, 1);
  expect_undisturbed(run, directory_);
}

TEST_P(MemoryFaults, InAppendingAndRewindingAreAgreed) {
  const RunPlan run = plan(GetParam());
  ASSERT_TRUE(write_on_rank(comm_, store_, run).ok());
  const Result<Options> options = options_of(run);  // made before memory runs out
  std::optional<StepData> data;                     // of one attempt
  const auto append = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(auto pipeline, WritePipeline::append(comm_.get(), store_, run.path, options));
    ESKER_RETURN_IF_ERROR(pipeline->rewind({}, time_of(0)));
    ESKER_RETURN_IF_ERROR(pipeline->write_step(std::move(data->input)));
    return pipeline->close({});
  };
  for_each_fault([&](const NewFault& fault, int victim) {
    data.emplace(comm_, run, 1);
    return fail("append", fault, victim, append);
  });
  data.emplace(comm_, run, 1);
  append().check();
  expect_clean(run, 2);
  expect_undisturbed(run, directory_);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryFaults, testing::ValuesIn(kSubjects), name_of_subject);

}  // namespace
}  // namespace esker
