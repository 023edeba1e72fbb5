// Errors of the file system on any rank and in any call: all ranks return the same error, in time, which
// names rank, file and reason. Only the committed steps remain. The next attempt succeeds, with the bytes of
// a run without faults.
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
         (fault.removing_fails ? ", removing, too" : "") + (fault.only_once ? ", once" : "");
}

using Faults = std::vector<StoreFault>;

/// Faults in a step, on any rank.
Faults block_faults(const Subject& subject) {
  Faults faults;
  if (subject.has_idx()) {
    faults = {{StoreCall::kOpen, ".bin"},
              {StoreCall::kWrite, ".bin"},     // of data
              {StoreCall::kWrite, ".bin", 2},  // of headers
              {StoreCall::kClose, ".bin"},
              {StoreCall::kSync, ".bin", 1, Fsync::kStep},
              {StoreCall::kSyncDirectory, "time_0001$", 1, Fsync::kStep},
              {StoreCall::kWrite, ".bin", 1, Fsync::kNone, true}};
  }
  if (subject.has_netcdf()) {  // one file for all ranks: its cleanup may fail as well, or not
    for (const bool only_once : {false, true}) {
      faults.push_back({StoreCall::kOpen, ".nc$", 1, Fsync::kNone, false, only_once});
      faults.push_back({StoreCall::kWrite, ".nc$", 1, Fsync::kNone, false, only_once});
      faults.push_back({StoreCall::kWrite, ".nc$", 2, Fsync::kNone, false, only_once});
      faults.push_back({StoreCall::kClose, ".nc$", 1, Fsync::kNone, false, only_once});
      faults.push_back({StoreCall::kSync, ".nc$", 1, Fsync::kStep, false, only_once});
    }
    faults.push_back({StoreCall::kSyncDirectory, "esker-mpi", 1, Fsync::kStep, false, true});
  }
  if (subject.has_zarr()) {
    for (const StoreFault& fault : Faults{{StoreCall::kOpen, "/c/1/"},
                                          {StoreCall::kWrite, "/c/1/"},
                                          {StoreCall::kWrite, "/c/1/", 2},  // of the index
                                          {StoreCall::kClose, "/c/1/"},
                                          {StoreCall::kSync, "/c/1/", 1, Fsync::kStep},
                                          {StoreCall::kSyncDirectory, "/c/1", 1, Fsync::kStep},
                                          {StoreCall::kWrite, "/c/1/", 1, Fsync::kNone, true}}) {
      faults.push_back(fault);
    }
  }
  if (subject.has_levels()) {
    for (const StoreFault& fault : Faults{{StoreCall::kOpen, ".vtkhdf$"},
                                          {StoreCall::kWrite, ".vtkhdf$"},
                                          {StoreCall::kWrite, ".vtkhdf$", 2},
                                          {StoreCall::kClose, ".vtkhdf$"},
                                          {StoreCall::kMakeDirectories, "vtkhdf.steps$"},
                                          {StoreCall::kSync, ".vtkhdf$", 1, Fsync::kStep},
                                          {StoreCall::kSyncDirectory, "vtkhdf.steps$", 1, Fsync::kStep},
                                          {StoreCall::kWrite, ".vtkhdf$", 1, Fsync::kNone, true}}) {
      faults.push_back(fault);
    }
  }
  return faults;
}

/// Faults of the files that rank 0 replaces: `names` are those of .idx files and the catalog.
Faults commit_faults(const std::vector<std::string>& names) {
  Faults faults;
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

/// Faults of the NetCDF file that rank 0 completes: fill values, times and the number of records, or its
/// metadata.
Faults netcdf_commit_faults(bool has_journal) {
  Faults faults;
  for (const bool only_once : {false, true}) {
    for (const int nth : {3, 4, 5, 8}) {
      faults.push_back({StoreCall::kWrite, ".nc$", nth, Fsync::kNone, false, only_once});
    }
    faults.push_back({StoreCall::kRead, ".nc$", 1, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kRead, ".nc$", 5, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kSync, ".nc$", 2, Fsync::kStep, false, only_once});
    faults.push_back({StoreCall::kSync, ".nc$", 3, Fsync::kStep, false, only_once});
    if (!has_journal) continue;
    faults.push_back({StoreCall::kOpen, "-journal.tmp$", 1, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kWrite, "-journal.tmp$", 1, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kSync, "-journal.tmp$", 1, Fsync::kStep, false, only_once});
    faults.push_back({StoreCall::kClose, "-journal.tmp$", 1, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kRename, "-journal$", 1, Fsync::kNone, false, only_once});
    faults.push_back({StoreCall::kRemove, "-journal$", 1, Fsync::kNone, false, only_once});
  }
  return faults;
}

/// Faults when rank 0 completes a file of whole levels by its metadata.
Faults levels_commit_faults() {
  Faults faults{{StoreCall::kWrite, ".vtkhdf$", 1, Fsync::kNone, true}};
  for (const StoreCall call : {StoreCall::kOpen, StoreCall::kClose}) faults.push_back({call, ".vtkhdf$", 2});
  for (const int nth : {3, 4, 5, 8}) faults.push_back({StoreCall::kWrite, ".vtkhdf$", nth});
  for (const int nth : {2, 3}) {
    faults.push_back({StoreCall::kSync, ".vtkhdf$", nth, Fsync::kStep});
    faults.push_back({StoreCall::kSyncDirectory, "vtkhdf.steps$", nth, Fsync::kStep});
  }
  return faults;
}

class StepFaults : public SubjectTest {
 protected:
  /// Faults that occur on rank 0 only.
  [[nodiscard]] Faults root_faults() const {
    const Subject& subject = GetParam();
    Faults faults;
    if (subject.has_netcdf()) faults = netcdf_commit_faults(subject.has_journal());
    if (subject.has_levels()) faults = levels_commit_faults();
    std::vector<std::string> replaced;
    if (subject.has_idx()) replaced = {"xyz.idx", "xy.idx", "esker.json"};
    if (subject.single) replaced = {subject.file()};
    if (subject.has_zarr()) {
      for (const char* name : {"time/c/0", "temp/zarr.json", "run.zarr/zarr.json"})
        replaced.emplace_back(name);
    }
    if (subject.has_levels() && subject.has_idx()) replaced.emplace_back("run.vtkhdf.series");
    for (StoreFault& fault : commit_faults(replaced)) faults.push_back(std::move(fault));
    if (subject.has_block_sets()) {
      for (const StoreCall call : {StoreCall::kOpen, StoreCall::kWrite, StoreCall::kClose}) {
        faults.push_back({call, "blocks.set$"});
      }
      faults.push_back({StoreCall::kSync, "blocks.set$", 1, Fsync::kStep});
    }
    return faults;
  }

  /// Step 1 with a fault, then without, then rewound.
  void run_case(WritePipeline& pipeline, const RunPlan& run, const StoreFault& fault, int victim,
                int reason) {
    const std::string name = name_of(fault, victim, reason) + ", " + text_of(run.options);
    SCOPED_TRACE(name);
    const Watchdog watchdog(name);
    StepData data(comm_, run, 1);
    arm(fault, victim, reason);
    const Status failed = commit_step(pipeline, data);
    disarm();
    const int rank = GetParam().has_common_file() ? rank_hit(failed) : lowest_rank_hit();
    ++cases_;
    if (rank >= 0) {
      ++hits_;
      expect_error(failed, rank, fault.part, reason);
      const bool has_first = GetParam().has_netcdf() || (GetParam().has_zarr() && GetParam().has_idx());
      const bool can_be_tidied = !has_first || (fault.only_once && victim != kAllRanks);
      if (can_be_tidied && !fault.removing_fails) expect_clean(run, 1);
      const Status again = commit_step(pipeline, comm_, run, 1);
      EXPECT_TRUE(again.ok()) << again.message();
    } else {
      EXPECT_TRUE(failed.ok()) << failed.message();
    }
    expect_undisturbed(run, directory_, kLock);
    const Status rewound = pipeline.rewind({}, time_of(0));
    EXPECT_TRUE(rewound.ok()) << rewound.message();
  }

  int cases_ = 0, hits_ = 0;
};

TEST_P(StepFaults, AreAgreedAndTheNextStepSucceeds) {
  std::size_t turn = 0;  // each fault on every victim and way, with the reasons in turn
  for (const auto& way : ways()) {
    for (const Fsync fsync : {Fsync::kNone, Fsync::kStep}) {
      RunPlan run = plan(GetParam());
      run.fsync = fsync;
      run.overwrite = true;
      take_way(run, way);
      auto pipeline = open_run(comm_, store_, run).value();
      commit_step(*pipeline, comm_, run, 0).check();
      for (const StoreFault& fault : block_faults(GetParam())) {
        if (fault.fsync != fsync) continue;
        for (const int victim : victims()) {
          run_case(*pipeline, run, fault, victim, kReasons[turn++ % kReasons.size()]);
        }
        if (!all_well()) return;
      }
      for (const StoreFault& fault : root_faults()) {
        if (fault.fsync == fsync) run_case(*pipeline, run, fault, 0, kReasons[turn++ % kReasons.size()]);
        if (!all_well()) return;
      }
      commit_step(*pipeline, comm_, run, 1).check();
      EXPECT_TRUE(pipeline->close({}).ok());
      expect_clean(run, 2);
      expect_undisturbed(run, directory_);
    }
  }
  RecordProperty("cases", cases_);
  EXPECT_GT(hits_, cases_ / 2);
  if (comm_.rank() == 0) std::printf("%d cases, %d of them met the fault\n", cases_, hits_);
}

INSTANTIATE_TEST_SUITE_P(All, StepFaults, testing::ValuesIn(kSubjects), name_of_subject);

/// Faults before the first step is written.
class CreateFaults : public SubjectTest {
 protected:
  /// Names of the files with samples.
  [[nodiscard]] static std::vector<std::string> data_of(const Subject& subject) {
    std::vector<std::string> names;
    if (subject.has_idx()) names.emplace_back(".bin");
    if (subject.has_netcdf()) names.emplace_back(".nc$");
    if (subject.has_levels()) names.emplace_back(".vtkhdf$");
    if (subject.has_zarr()) names.emplace_back("/c/");
    return names;
  }

  /// The faults of each format.
  [[nodiscard]] static std::vector<std::string> files_of(const Subject& subject) {
    std::vector<std::string> files;
    if (subject.has_netcdf()) files = {"run.nc"};
    if (subject.has_levels()) files = {"run.vtkhdf.series"};
    if (subject.has_zarr()) files.insert(files.end(), {"run.zarr/zarr.json", "run.zarr/time/c/0"});
    if (subject.has_idx() && subject.single) {
      for (const char* name : {"run.schema.json", "run.idx"}) files.emplace_back(name);
    } else if (subject.has_idx()) {
      for (const char* name : {"esker.json", "schema.json", "xyz.idx", "xy.idx", "xy_fixed.idx"}) {
        files.emplace_back(name);
      }
    }
    return files;
  }

  [[nodiscard]] static Faults append_faults(const Subject& subject) {
    Faults faults{{StoreCall::kCreate, ".esker-lock"}};
    if (subject.has_idx()) {
      const std::string idx = subject.single ? "run.idx" : "xyz.idx";
      for (const StoreFault& fault : Faults{{StoreCall::kRead, idx + "$"},
                                            {StoreCall::kOpen, "schema.json$"},
                                            {StoreCall::kRename, idx + "$"},
                                            {StoreCall::kWrite, idx + ".tmp$"},
                                            {StoreCall::kRemove, "time_0001"}}) {
        faults.push_back(fault);
      }
    }
    if (subject.has_netcdf()) {
      for (const StoreCall call :
           {StoreCall::kOpen, StoreCall::kRead, StoreCall::kWrite, StoreCall::kClose}) {
        for (const int nth : {1, 2}) faults.push_back({call, "run.nc$", nth});
      }
    }
    if (subject.has_zarr()) {
      for (const StoreFault& fault : Faults{{StoreCall::kOpen, "run.zarr/zarr.json$"},
                                            {StoreCall::kRead, "run.zarr/zarr.json$"},
                                            {StoreCall::kRead, "run.zarr/zarr.json$", 2},
                                            {StoreCall::kRead, "time/c/0$"},
                                            {StoreCall::kRename, "run.zarr/zarr.json$"},
                                            {StoreCall::kOpen, "temp/zarr.json.tmp$"},
                                            {StoreCall::kWrite, "run.zarr/zarr.json.tmp$"},
                                            {StoreCall::kRemove, "/c/1$"}}) {
        faults.push_back(fault);
      }
    }
    if (subject.has_levels()) {
      for (const StoreFault& fault : Faults{{StoreCall::kOpen, "run.vtkhdf.series$"},
                                            {StoreCall::kRead, "run.vtkhdf.series$"},
                                            {StoreCall::kRead, "run.vtkhdf.series$", 2},
                                            {StoreCall::kRename, "run.vtkhdf.series$"},
                                            {StoreCall::kOpen, "run.vtkhdf.series.tmp$"},
                                            {StoreCall::kWrite, "run.vtkhdf.series.tmp$"},
                                            {StoreCall::kClose, "run.vtkhdf.series.tmp$"},
                                            {StoreCall::kRemove, "vtkhdf.steps/000001.vtkhdf$"}}) {
        faults.push_back(fault);
      }
    }
    if (subject.has_journal()) {
      faults.push_back({StoreCall::kWrite, "-journal.tmp$"});
      faults.push_back({StoreCall::kRename, "-journal$"});
      faults.push_back({StoreCall::kRemove, "-journal$"});
    }
    return faults;
  }
};

TEST_P(CreateFaults, OfTheFirstStepAreAgreedAndItCanBeRetried) {
  const Subject& subject = GetParam();
  Faults faults;
  const std::vector<std::string> parts = data_of(subject);
  for (const std::string& part : parts) {
    faults.push_back({StoreCall::kWrite, part});
    faults.push_back({StoreCall::kOpen, part});
  }
  for (const StoreFault& fault : commit_faults(files_of(subject))) {
    if (fault.fsync == Fsync::kNone && fault.call != StoreCall::kRead) faults.push_back(fault);
  }
  for (const StoreFault& fault : faults) {
    const bool any_rank = std::ranges::find(parts, fault.part) != parts.end();
    for (const int victim : any_rank ? victims() : std::vector<int>{0}) {
      const std::string name = name_of(fault, victim, ENOSPC);
      SCOPED_TRACE(name);
      const Watchdog watchdog(name);
      RunPlan run = plan(GetParam());
      run.end_step = 1;
      run.overwrite = true;
      auto pipeline = open_run(comm_, store_, run).value();
      StepData data(comm_, run, 0);
      arm(fault, victim, ENOSPC);
      const Status failed = commit_step(*pipeline, data);
      disarm();
      const int rank = GetParam().has_common_file() ? rank_hit(failed) : lowest_rank_hit();
      if (rank >= 0) {
        expect_error(failed, rank, fault.part, ENOSPC);
        const Status again = commit_step(*pipeline, comm_, run, 0);
        EXPECT_TRUE(again.ok()) << again.message();
      }
      EXPECT_TRUE(pipeline->close({}).ok());
      expect_clean(run, 1);
      expect_undisturbed(run, directory_);
      if (!all_well()) return;
    }
  }
}

TEST_P(CreateFaults, OfTheOpeningAreAgreedAndItCanBeRetried) {
  const std::vector<StoreFault> faults{{StoreCall::kCreate, ".esker-lock"},
                                       {StoreCall::kMakeDirectories, "below"}};
  for (const StoreFault& fault : faults) {
    const Watchdog watchdog(name_of(fault, 0, EDQUOT));
    const RunPlan run = plan(GetParam(), "below/");
    arm(fault, 0, EDQUOT);
    const auto failed = open_run(comm_, store_, run);
    disarm();
    expect_error(failed.status(), 0, fault.part, EDQUOT);
    EXPECT_TRUE(open_run(comm_, store_, run).ok());
  }
}

TEST_P(CreateFaults, OfAppendingAndRewindingAreAgreedAndTheDatasetIsKept) {
  RunPlan run = plan(GetParam());
  ASSERT_TRUE(write_on_rank(comm_, store_, run).ok());
  for (const StoreFault& fault : append_faults(GetParam())) {
    for (const int reason : kReasons) {
      const std::string name = name_of(fault, 0, reason);
      SCOPED_TRACE(name);
      const Watchdog watchdog(name);
      RunPlan rest = run;
      rest.first_step = 1;  // appends, and rewinds step 1
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

TEST_P(CreateFaults, OfReadingADatasetToReplaceAreNamedAndItIsKept) {
  RunPlan run = plan(GetParam());
  ASSERT_TRUE(write_on_rank(comm_, store_, run).ok());
  run.overwrite = true;
  for (const StoreCall call : {StoreCall::kOpen, StoreCall::kRead}) {
    for (const std::string& file : files_of(GetParam())) {
      const StoreFault fault{call, file + "$"};
      SCOPED_TRACE(name_of(fault, 0, EIO));
      const Watchdog watchdog(name_of(fault, 0, EIO));
      arm(fault, 0, EIO);
      const auto failed = open_run(comm_, store_, run);
      disarm();
      if (lowest_rank_hit() >= 0) expect_error(failed.status(), 0, fault.part, EIO);
      expect_undisturbed(run, directory_, failed.ok() ? kLock : "");
      if (!all_well()) return;
    }
  }
  EXPECT_TRUE(write_on_rank(comm_, store_, run).ok());
  expect_undisturbed(run, directory_);
}

// Files of rewound steps are missing when `close` syncs.
TEST_P(CreateFaults, SyncingAtTheEndSkipsFailedAndRewoundSteps) {
  RunPlan run = plan(GetParam());
  run.fsync = Fsync::kClose;
  auto pipeline = open_run(comm_, store_, run).value();
  commit_step(*pipeline, comm_, run, 0).check();
  commit_step(*pipeline, comm_, run, 1).check();
  pipeline->rewind({}, time_of(0)).check();
  arm({StoreCall::kClose, data_of(GetParam()).front()}, kAllRanks, EIO);
  EXPECT_FALSE(commit_step(*pipeline, comm_, run, 1).ok());
  disarm();
  const Status closed = pipeline->close({});
  EXPECT_TRUE(closed.ok()) << closed.message();
  expect_clean(run, 1);
}

INSTANTIATE_TEST_SUITE_P(All, CreateFaults, testing::ValuesIn(kSubjects), name_of_subject);

}  // namespace
}  // namespace esker
