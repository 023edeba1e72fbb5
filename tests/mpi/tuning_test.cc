// Settings that change between steps, on the ranks of an MPI job.
#include <gtest/gtest.h>

#include "support/mpi_runs.h"
#include "support/reading.h"
#include "support/tuned_runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

/// Measured the default, and on several ranks tried another setting, or said that plans take too long for it.
void expect_tried(const TuningRecord& record, int n_ranks) {
  EXPECT_GT(record.default_s, 0);
  const bool is_slow = record.state.find("a new plan takes") != std::string::npos;
  EXPECT_TRUE(n_ranks == 1 || is_slow || !record.probes.empty()) << record.state;
}

class TuningTest : public MpiRunsTest {
 protected:
  RunPlan run_of(const std::string& tune, Index end_step) const {
    RunPlan run;
    run.n_ranks = comm_.size();
    run.single = true;
    run.end_step = end_step;
    run.options = {{"tune", tune}, {"tune_cache", "false"}};
    if (tune == "auto") run.options["report"] = path("report.json");
    return run;
  }

  /// Expects the same files with and without tuning.
  void expect_same_bytes(const RunPlan& run) {
    RunPlan untuned = run;
    untuned.options["tune"] = "off";
    untuned.options.erase("report");
    const Files files = files_of(comm_, run);
    EXPECT_EQ(files.empty(), comm_.rank() != 0);
    EXPECT_EQ(files, files_of(comm_, untuned));
  }

  void expect_same_bytes_with_every_setting(const TuningFacts& facts, const RunPlan& of) {
    const TuningRecord record = every_setting(facts);
    if (comm_.rank() == 0) store_text(*posix_store(), path("replay.json"), report_with(record));
    comm_.get()->barrier();
    RunPlan run = of;
    run.end_step = 2 + std::ssize(record.changes);
    run.options["tune"] = "replay:" + path("replay.json");
    expect_same_bytes(run);
  }
};

TEST_F(TuningTest, EverySettingWritesTheSameBytes) {
  expect_same_bytes_with_every_setting(facts_with(comm_.size()), run_of("off", 1));
}

// A file that all ranks share: with stripes, and ranks that write their own samples.
TEST_F(TuningTest, EverySettingWritesTheSameSharedFile) {
  TuningFacts facts = facts_with(comm_.size());
  facts.shares_a_file = facts.may_write_alone = facts.knows_stripes = true;
  RunPlan run = run_of("off", 1);
  run.path = "run.nc";
  run.options["format"] = "cdf5";
  run.options["stripe_size"] = "4K";
  run.options["stripe_count"] = "2";
  expect_same_bytes_with_every_setting(facts, run);
}

TEST_F(TuningTest, ARunThatTunesItselfWritesTheSameBytes) {
  expect_same_bytes(run_of("auto", 12));
  if (comm_.rank() != 0) return;
  const std::string report = read_text(*posix_store(), path("report.json"), 1 << 20).value();
  expect_tried(parse_tuning(report).value(), comm_.size());
}

TEST_F(TuningTest, AReaderThatTunesItselfReadsTheSame) {
  RunPlan run = run_of("off", 3);
  run.path = path("run.idx");
  ASSERT_TRUE(write_on_rank(comm_, posix_store(), run).ok());
  Options options;
  options.set("tune", "auto").check();
  options.set("tune_cache", "false").check();
  Reader reader = Reader::open(run.path, comm_, options).value();
  for (Index turn = 0; turn < 12; ++turn) {
    Wanted wanted(reader);
    wanted.ask("thk", turn % run.end_step, Box({comm_.rank(), 1}, {21, 18}), 2);
    const Status status = reader.read();
    ASSERT_TRUE(status.ok()) << status.message();
    wanted.compare();
  }
  const std::string told = reader.tuning_json().value();
  const TuningRecord record = parse_tuning(told).value();
  expect_tried(record, comm_.size());
  for (const TuningRecord::Probe& probe : record.probes) EXPECT_EQ(probe.predicted, 0) << "no plan is judged";
  EXPECT_EQ(share_text(*comm_.get(), told, 0).value(), told) << "the same on all ranks";
}

TEST_F(TuningTest, StridedReadsOfOtherSizesAreOtherWorkloads) {
  if (comm_.size() > 1) GTEST_SKIP() << "on several ranks, so few reads may not settle";
  RunPlan run = run_of("off", 3);
  run.path = path("run.idx");
  ASSERT_TRUE(write_on_rank(comm_, posix_store(), run).ok());
  ::setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
  Options options;
  options.set("tune", "auto").check();
  for (const Index stride : {2, 3}) {
    Reader reader = Reader::open(run.path, comm_, options).value();
    for (Index turn = 0; turn < 8; ++turn) {
      Wanted wanted(reader);
      Query query{"thk", turn % run.end_step, Box({1, 1}, {21, 18}), {}};
      query.stride = Point{stride, stride};
      wanted.ask(query);
      reader.read().check();
      wanted.compare();
    }
  }
  ::unsetenv("XDG_CACHE_HOME");
  const std::string known = read_text(*posix_store(), path("cache/esker/tuning.json"), 1 << 20).value();
  EXPECT_NE(known.find("\"key\""), known.rfind("\"key\"")) << known;
}

}  // namespace
}  // namespace esker
