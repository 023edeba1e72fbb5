// What the file system refuses, at any rank and call: the same error on all ranks, in time, naming rank, file
// and reason; the committed steps and nothing else stand; the next attempt succeeds, in the bytes of a run
// that met no fault.
#include <gtest/gtest.h>

#include <cerrno>

#include "support/fault_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

constexpr std::array kReasons{ENOSPC, EDQUOT, EIO};

std::string name_of(const StoreFault& fault, int victim, int reason) {
  return "call " + std::to_string(static_cast<int>(fault.call)) + " number " + std::to_string(fault.nth) +
         " on " + fault.part + " of rank " + std::to_string(victim) + ": " + std::strerror(reason) +
         (fault.removing_fails ? ", removing, too" : "");
}

/// In a step that any rank may meet.
std::vector<StoreFault> block_faults() {
  return {{StoreCall::kOpen, ".bin"},
          {StoreCall::kWrite, ".bin"},     // of data
          {StoreCall::kWrite, ".bin", 2},  // of headers
          {StoreCall::kClose, ".bin"},
          {StoreCall::kSync, ".bin", 1, Fsync::kStep},
          {StoreCall::kSyncDirectory, "time_0001$", 1, Fsync::kStep},
          {StoreCall::kWrite, ".bin", 1, Fsync::kNone, true}};
}

/// Of the files that rank 0 replaces: `names` are those of .idx files and the catalog.
std::vector<StoreFault> commit_faults(const std::vector<std::string>& names) {
  std::vector<StoreFault> faults;
  for (const std::string& name : names) {
    faults.push_back({StoreCall::kRename, name + "$"});
    faults.push_back({StoreCall::kOpen, name + ".tmp$"});
    faults.push_back({StoreCall::kWrite, name + ".tmp$"});
    faults.push_back({StoreCall::kClose, name + ".tmp$"});
    faults.push_back({StoreCall::kRead, name + "$"});
    faults.push_back({StoreCall::kSync, name + ".tmp$", 1, Fsync::kStep});
    faults.push_back({StoreCall::kRename, name, 1, Fsync::kNone, true});
  }
  return faults;
}

class StepFaults : public FaultTest, public testing::WithParamInterface<bool> {
 protected:
  [[nodiscard]] std::vector<std::string> replaced() const {
    return GetParam() ? std::vector<std::string>{"run.idx"}
                      : std::vector<std::string>{"xyz.idx", "xy.idx", "esker.json"};
  }

  /// Step 1 under a fault, then without, then taken back.
  void run_case(WritePipeline& pipeline, const RunPlan& run, const StoreFault& fault, int victim,
                int reason) {
    const std::string name = name_of(fault, victim, reason) + ", " + text_of(run.options);
    SCOPED_TRACE(name);
    const Watchdog watchdog(name);
    const StepData data(comm_, run, 1);
    arm(fault, victim, reason);
    const Status failed = pipeline.write_step(data.input);
    disarm();
    const int rank = lowest_rank_hit();
    ++cases_;
    if (rank >= 0) {
      ++hits_;
      expect_error(failed, rank, fault.part, reason);
      if (!fault.removing_fails) expect_clean(run, 1);
      const Status again = pipeline.write_step(data.input);
      EXPECT_TRUE(again.ok()) << again.message();
    } else {
      EXPECT_TRUE(failed.ok()) << failed.message();
    }
    expect_undisturbed(run, path("run"));
    const Status rewound = pipeline.rewind({}, time_of(0));
    EXPECT_TRUE(rewound.ok()) << rewound.message();
  }

  int cases_ = 0, hits_ = 0;
};

TEST_P(StepFaults, AreAgreedAndTheNextStepSucceeds) {
  std::size_t turn = 0;  // each fault meets every victim and way, and the reasons in turn
  for (const auto& way : ways_to_move(comm_.size())) {
    for (const Fsync fsync : {Fsync::kNone, Fsync::kStep}) {
      RunPlan run = plan("run.idx", GetParam());
      run.fsync = fsync;
      run.overwrite = true;
      run.options = way;
      auto pipeline = open_run(comm_, store_, run).value();
      write_step(*pipeline, comm_, run, 0).check();
      for (const StoreFault& fault : block_faults()) {
        if (fault.fsync != fsync) continue;
        for (const int victim : victims()) {
          run_case(*pipeline, run, fault, victim, kReasons[turn++ % kReasons.size()]);
        }
        if (!all_well()) return;
      }
      for (const StoreFault& fault : commit_faults(replaced())) {
        if (fault.fsync == fsync) run_case(*pipeline, run, fault, 0, kReasons[turn++ % kReasons.size()]);
        if (!all_well()) return;
      }
      write_step(*pipeline, comm_, run, 1).check();
      EXPECT_TRUE(pipeline->close({}).ok());
      expect_clean(run, 2);
      expect_undisturbed(run, directory_);
    }
  }
  RecordProperty("cases", cases_);
  EXPECT_GT(hits_, cases_ / 2);
  if (comm_.rank() == 0) std::printf("%d cases, %d of them met the fault\n", cases_, hits_);
}

INSTANTIATE_TEST_SUITE_P(All, StepFaults, testing::Bool(),
                         [](const auto& test) { return test.param ? "OneGrid" : "SeveralGrids"; });

/// Before the first step is written.
class CreateFaults : public FaultTest, public testing::WithParamInterface<bool> {};

TEST_P(CreateFaults, OfTheFirstStepAreAgreedAndItCanBeTriedAgain) {
  std::vector<StoreFault> faults{{StoreCall::kWrite, ".bin"}, {StoreCall::kOpen, ".bin"}};
  const std::vector<std::string> files =
      GetParam() ? std::vector<std::string>{"run.schema.json", "run.idx"}
                 : std::vector<std::string>{"esker.json", "schema.json", "xyz.idx", "xy.idx", "xy_fixed.idx"};
  for (const StoreFault& fault : commit_faults(files)) {
    if (fault.fsync == Fsync::kNone && fault.call != StoreCall::kRead) faults.push_back(fault);
  }
  for (const StoreFault& fault : faults) {
    for (const int victim : fault.part.starts_with(".bin") ? victims() : std::vector<int>{0}) {
      const std::string name = name_of(fault, victim, ENOSPC);
      SCOPED_TRACE(name);
      const Watchdog watchdog(name);
      RunPlan run = plan("run.idx", GetParam());
      run.end_step = 1;
      run.overwrite = true;
      auto pipeline = open_run(comm_, store_, run).value();
      const StepData data(comm_, run, 0);
      arm(fault, victim, ENOSPC);
      const Status failed = pipeline->write_step(data.input);
      disarm();
      const int rank = lowest_rank_hit();
      if (rank >= 0) {
        expect_error(failed, rank, fault.part, ENOSPC);
        const Status again = pipeline->write_step(data.input);
        EXPECT_TRUE(again.ok()) << again.message();
      }
      EXPECT_TRUE(pipeline->close({}).ok());
      expect_clean(run, 1);
      expect_undisturbed(run, directory_);
      if (!all_well()) return;
    }
  }
}

TEST_P(CreateFaults, OfTheOpeningAreAgreedAndItCanBeTriedAgain) {
  const std::vector<StoreFault> faults{{StoreCall::kCreate, ".esker-lock"},
                                       {StoreCall::kMakeDirectories, "below"}};
  for (const StoreFault& fault : faults) {
    const Watchdog watchdog(name_of(fault, 0, EDQUOT));
    const RunPlan run = plan("below/run.idx", GetParam());
    arm(fault, 0, EDQUOT);
    const auto failed = open_run(comm_, store_, run);
    disarm();
    expect_error(failed.status(), 0, fault.part, EDQUOT);
    EXPECT_TRUE(open_run(comm_, store_, run).ok());
  }
}

TEST_P(CreateFaults, OfAppendingAndRewindingAreAgreedAndTheDatasetStays) {
  const std::string idx = GetParam() ? "run.idx" : "xyz.idx";
  const std::vector<StoreFault> faults{
      {StoreCall::kCreate, ".esker-lock"}, {StoreCall::kRead, idx + "$"},
      {StoreCall::kOpen, "schema.json$"},  {StoreCall::kRename, idx + "$"},
      {StoreCall::kWrite, idx + ".tmp$"},  {StoreCall::kRemove, "time_0001"}};
  RunPlan run = plan("run.idx", GetParam());
  ASSERT_TRUE(write_on_rank(comm_, store_, run).ok());
  for (const StoreFault& fault : faults) {
    for (const int reason : kReasons) {
      const std::string name = name_of(fault, 0, reason);
      SCOPED_TRACE(name);
      const Watchdog watchdog(name);
      RunPlan rest = run;
      rest.first_step = 1;  // appends and takes step 1 back
      arm(fault, 0, reason);
      const auto failed = open_run(comm_, store_, rest);
      disarm();
      EXPECT_EQ(lowest_rank_hit(), 0);
      expect_error(failed.status(), 0, fault.part, reason);
      const Status again = write_on_rank(comm_, store_, rest);
      EXPECT_TRUE(again.ok()) << again.message();
      expect_clean(run, 2);
      expect_undisturbed(run, directory_);
      if (!all_well()) return;
    }
  }
}

// Files of steps that a rewind took back are not there to be synced.
TEST_P(CreateFaults, SyncingAtTheEndKnowsOfFailedAndRewoundSteps) {
  RunPlan run = plan("run.idx", GetParam());
  run.fsync = Fsync::kClose;
  auto pipeline = open_run(comm_, store_, run).value();
  write_step(*pipeline, comm_, run, 0).check();
  write_step(*pipeline, comm_, run, 1).check();
  pipeline->rewind({}, time_of(0)).check();
  arm({StoreCall::kClose, ".bin"}, comm_.size() - 1, EIO);
  EXPECT_FALSE(write_step(*pipeline, comm_, run, 1).ok());
  disarm();
  const Status closed = pipeline->close({});
  EXPECT_TRUE(closed.ok()) << closed.message();
  expect_clean(run, 1);
}

INSTANTIATE_TEST_SUITE_P(All, CreateFaults, testing::Bool(),
                         [](const auto& test) { return test.param ? "OneGrid" : "SeveralGrids"; });

}  // namespace
}  // namespace esker
