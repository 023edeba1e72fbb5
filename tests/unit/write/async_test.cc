// Steps that are stored after end_step: when they become visible, which bytes they have, and what an error
// or an end of the run does to them.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "formats/registry/open_dataset.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

bool has_samples(const std::string& path) { return path.ends_with(".bin") || path.ends_with(".nc"); }

/// A store whose writes of samples wait until they may proceed, and then fail if they shall.
struct SlowStore {
  std::shared_ptr<Store> files = memory_store();
  std::atomic<bool> waits = false;
  std::atomic<int> failures = 0;  // of the next writes

  std::shared_ptr<Store> store() {
    return faulty_store(files, [this](StoreCall call, const std::string& path) {
      if (call != StoreCall::kWrite || !has_samples(path)) return 0;
      while (waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return failures > 0 && failures-- > 0 ? ENOSPC : 0;
    });
  }
};

RunPlan async_run(int n_ranks, const std::string& format = "idx") {
  RunPlan run;
  run.n_ranks = run.aggregators = n_ranks;
  run.path = format == "idx" ? "run.idx" : "run.nc";
  run.options = {{"format", format}, {"async", "true"}};
  return run;
}

Index visible_steps_of(const std::shared_ptr<Store>& store, const RunPlan& run) {
  const auto opened = open_dataset(store, run.path);
  return opened.ok() ? std::ssize((*opened)->times) : 0;
}

/// What rank 0 does while the others wait.
template <class Action>
void alone(const Communicator& comm, const Action& action) {
  comm.get()->barrier();
  if (comm.rank() == 0) action();
  comm.get()->barrier();
}

/// Step 0 is committed, and step 1 is in flight and cannot be stored.
void commit_one_and_fail_next(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run,
                              SlowStore& slow) {
  commit_step(pipeline, comm, run, 0).check();
  alone(comm, [&] { slow.failures = 1; });
  write_step(pipeline, comm, run, 1).check();
}

TEST(Async, EndStepReturnsBeforeTheStepIsStoredAndTheNextCallCommitsIt) {
  for (const char* format : {"idx", "cdf5"}) {
    for (const int n_ranks : {1, 3}) {
      const RunPlan run = async_run(n_ranks, format);
      SlowStore slow;
      run_ranks(n_ranks, [&](const Communicator& comm) {
        auto pipeline = open_run(comm, slow.store(), run).value();
        for (Index step = 0; step < run.end_step; ++step) {
          alone(comm, [&] { slow.waits = true; });
          if (step > 0) alone(comm, [&] { slow.waits = false; });  // the one before is stored first
          if (step > 0) pipeline->flush().check();
          alone(comm, [&] { slow.waits = true; });
          write_step(*pipeline, comm, run, step).check();
          EXPECT_EQ(std::ssize(pipeline->times()), step + 1);
          EXPECT_EQ(pipeline->times().back(), time_of(step));
          alone(comm, [&] {
            EXPECT_EQ(visible_steps_of(slow.files, run), step);
            slow.waits = false;
          });
        }
        pipeline->flush().check();
        EXPECT_EQ(std::ssize(pipeline->times()), run.end_step);
        alone(comm, [&] { EXPECT_EQ(visible_steps_of(slow.files, run), run.end_step); });
        pipeline->flush().check();  // nothing to do
        pipeline->close({}).check();
      });
      expect_complete(slow.files, run, run.end_step);
    }
  }
}

TEST(Async, TheFilesAreThoseOfARunThatIsNotAsynchronous) {
  struct Way {
    const char* format;
    const char* compression;
    int aggregators;
    const char* memory;
  };
  for (const Way& way :
       {Way{"idx", "none", 3, "256M"}, Way{"idx", "lz4", 3, "256M"}, Way{"idx", "lz4", 1, "20K"},
        Way{"cdf5", "none", 2, "20K"}, Way{"cdf5+idx", "none", 3, "1"}, Way{"netcdf4", "none", 2, "256M"},
        Way{"netcdf4", "zip", 3, "256M"}, Way{"netcdf4", "zip", 3, "20K"}}) {
    for (const int n_ranks : {1, 3}) {
      SCOPED_TRACE(std::string(way.format) + " " + way.compression + ", memory " + way.memory + ", ranks " +
                   std::to_string(n_ranks));
      RunPlan run = async_run(n_ranks, way.format);
      run.aggregators = std::min(n_ranks, way.aggregators);
      run.memory_budget = Index{600} << 10;  // several rounds
      run.new_boxes_each_step = true;
      run.options["compression"] = way.compression;
      run.options["async_memory"] = way.memory;
      run.options["stage"] = std::filesystem::temp_directory_path().string();
      RunPlan at_once = run;
      at_once.options["async"] = "false";
      const auto store = written(run);
      expect_same_files(*store, *written(at_once), ".", ".report.json");
      expect_complete(store, run, run.end_step);
    }
  }
}

TEST(Async, AnErrorOfTheThreadIsThatOfTheNextCallOnAllRanksAndNamesTheStep) {
  for (const char* format : {"idx", "cdf5"}) {
    const RunPlan run = async_run(3, format);
    SlowStore slow;
    run_ranks(3, [&](const Communicator& comm) {
      auto pipeline = open_run(comm, slow.store(), run).value();
      commit_one_and_fail_next(*pipeline, comm, run, slow);
      const Status failed = write_step(*pipeline, comm, run, 2);
      EXPECT_EQ(failed.code(), Code::kIoError);
      EXPECT_NE(failed.message().find("step 1, time 10"), std::string::npos) << failed.message();
      EXPECT_NE(failed.message().find("No space left"), std::string::npos) << failed.message();
      EXPECT_EQ(std::ssize(pipeline->times()), 1) << "neither step was written";
      const Status skipped = write_step(*pipeline, comm, run, 2);
      EXPECT_EQ(skipped.code(), Code::kWrongOrder) << skipped.message();
      write_step(*pipeline, comm, run, 1).check();
      write_step(*pipeline, comm, run, 2).check();
      pipeline->close({}).check();
    });
    expect_complete(slow.files, run, run.end_step);
  }
}

TEST(Async, CloseReturnsTheErrorOfTheLastStep) {
  const RunPlan run = async_run(2);
  SlowStore slow;
  run_ranks(2, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    commit_one_and_fail_next(*pipeline, comm, run, slow);
    EXPECT_EQ(pipeline->close({}).code(), Code::kIoError);
  });
  expect_complete(slow.files, run, 1);
  EXPECT_EQ(findings_of(slow.files, run.path), std::vector<std::string>{});
}

TEST(Async, AStepStaysInFlightWhenTheNextCallDoesNotBegin) {
  const RunPlan run = async_run(3);
  SlowStore slow;
  run_ranks(3, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    write_step(*pipeline, comm, run, 0).check();
    // In different calls.
    const Status status = comm.rank() == 1 ? pipeline->flush() : write_step(*pipeline, comm, run, 1);
    EXPECT_EQ(status.code(), Code::kMismatchedCall) << status.message();
    EXPECT_EQ(visible_steps_of(slow.files, run), 0);
    // With an error of one rank: the step before is committed, and the new one is not written.
    StepData data(comm, run, 1);
    if (comm.rank() == 2) data.input.status = {Code::kInvalidArgument, "a patch without memory"};
    EXPECT_EQ(pipeline->write_step(std::move(data.input)).code(), Code::kInvalidArgument);
    EXPECT_EQ(std::ssize(pipeline->times()), 1);
    for (Index step = 1; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    pipeline->close({}).check();
  });
  expect_complete(slow.files, run, run.end_step);
}

TEST(Async, AbandonKeepsTheStepThatEndStepHasAccepted) {
  const RunPlan run = async_run(3);
  SlowStore slow;
  run_ranks(3, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    write_step(*pipeline, comm, run, 0).check();
    const Status reason(Code::kInvalidArgument, "the model has diverged");
    const Status ended = comm.rank() == 1 ? pipeline->abandon(reason) : pipeline->close({});
    EXPECT_EQ(ended.code(), Code::kInvalidArgument) << ended.message();
  });
  expect_complete(slow.files, run, 1);
}

TEST(Async, AStepInFlightIsDiscardedWithItsWriter) {
  const RunPlan run = async_run(2);
  SlowStore slow;
  run_ranks(2, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    write_step(*pipeline, comm, run, 0).check();
    pipeline->flush().check();
    write_step(*pipeline, comm, run, 1).check();
  });
  EXPECT_EQ(visible_steps_of(slow.files, run), 1);
  RunPlan rest = run;
  rest.first_step = 1;
  EXPECT_TRUE(write_all(slow.files, rest).ok());
  expect_complete(slow.files, run, run.end_step);
}

TEST(Async, RewindAndTheReportCommitItFirst) {
  const RunPlan run = async_run(2);
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    EXPECT_EQ(pipeline->report().value().steps.size(), 1U);
    EXPECT_EQ(std::ssize(pipeline->times()), 1);
    write_step(*pipeline, comm, run, 1).check();
    pipeline->rewind({}, time_of(0)).check();
    EXPECT_EQ(std::ssize(pipeline->times()), 1);
    for (Index step = 1; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    pipeline->close({}).check();
  });
  expect_complete(store, run, run.end_step);
}

TEST(Async, ASingleStepCanBeStoredLater) {
  RunPlan run = async_run(2);
  run.options.erase("async");
  SlowStore slow;
  run_ranks(2, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    for (Index step = 0; step < run.end_step; ++step) {
      StepData data(comm, run, step);
      pipeline->write_step(std::move(data.input), step == 1).check();
      alone(comm, [&] { EXPECT_EQ(visible_steps_of(slow.files, run), step == 1 ? 1 : step + 1); });
    }
    pipeline->close({}).check();
  });
  expect_complete(slow.files, run, run.end_step);
}

TEST(Async, DurabilityTuningAndTimelinesGoTogetherWithIt) {
  using Extra = std::map<std::string, std::string>;
  for (const Extra& extra :
       {Extra{{"fsync", "step"}}, Extra{{"fsync", "close"}}, Extra{{"tune", "auto"}, {"tune_cache", "false"}},
        Extra{{"report_timeline", "true"}}, Extra{{"partitions", "2"}},
        Extra{{"aggregate", "false"}, {"checksums", "false"}}}) {
    SCOPED_TRACE(text_of(extra));
    RunPlan run = async_run(4);
    run.checksums = !extra.contains("checksums");
    run.aggregate = !extra.contains("aggregate");
    run.end_step = 6;
    run.options["store_thread"] = "true";  // has no effect
    run.options.insert(extra.begin(), extra.end());
    RunPlan at_once = run;
    at_once.options["async"] = "false";
    const auto store = written(run);
    expect_same_files(*store, *written(at_once), ".", ".report.json");
    expect_complete(store, run, run.end_step);
  }
}

TEST(Async, SparseStepsAndMeshesAreStoredLaterToo) {
  RunPlan sparse = async_run(3), mesh = async_run(3);
  sparse.single = true;
  sparse.keep = keep_some_blocks;
  mesh.schema = mesh_schema();
  for (const RunPlan& run : {sparse, mesh}) {
    RunPlan at_once = run;
    at_once.options["async"] = "false";
    expect_same_files(*written(run), *written(at_once), ".", ".report.json");
  }
}

TEST(Async, AbandonTellsTheErrorOfTheStepInAdditionToTheReason) {
  const RunPlan run = async_run(3);
  SlowStore slow;
  run_ranks(3, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    commit_one_and_fail_next(*pipeline, comm, run, slow);
    const Status ended = pipeline->abandon(
        comm.rank() == 1 ? Status(Code::kInvalidArgument, "the model has diverged") : Status());
    EXPECT_EQ(ended.code(), Code::kInvalidArgument);
    EXPECT_NE(ended.message().find("the model has diverged"), std::string::npos) << ended.message();
    EXPECT_NE(ended.message().find("step 1, time 10"), std::string::npos) << ended.message();
  });
  expect_complete(slow.files, run, 1);
}

// An exception that passes on one rank does not keep the others from discarding the step with it.
TEST(Async, AStepThatFailsWhileARankUnwindsIsDiscardedByAll) {
  const RunPlan run = async_run(3);
  SlowStore slow;
  run_ranks(3, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    commit_one_and_fail_next(*pipeline, comm, run, slow);
    struct Ends {
      WritePipeline& pipeline;
      ~Ends() { EXPECT_FALSE(pipeline.abandon({Code::kInternal, "an exception"}).ok()); }
    };
    try {
      if (comm.rank() == 1) {
        const Ends ends{*pipeline};
        throw std::runtime_error("the model has diverged");
      }
      EXPECT_FALSE(pipeline->close({}).ok());
    } catch (const std::runtime_error&) {
    }
  });
  expect_complete(slow.files, run, 1);
  EXPECT_EQ(findings_of(slow.files, run.path), std::vector<std::string>{});
}

// Another run may hold the lock by then, and have written a step with this number.
TEST(Async, AWriterThatEndsAloneRemovesNoFiles) {
  const RunPlan run = async_run(1);
  const auto store = memory_store();
  const Communicator comm = Communicator::serial();
  auto late = open_run(comm, store, run).value();
  commit_step(*late, comm, run, 0).check();
  const std::size_t committed = all_files(*store, ".").size();
  write_step(*late, comm, run, 1).check();
  auto before = all_files(*store, ".");
  while (before.size() == committed) {  // the thread has stored nothing yet
    std::this_thread::yield();
    before = all_files(*store, ".");
  }
  late.reset();
  for (const auto& [path, bytes] : before) {
    EXPECT_TRUE(path.ends_with("lock") || all_files(*store, ".").contains(path)) << path;
  }
}

TEST(Async, TwoWritersHaveAStepInFlightEach) {
  RunPlan one = async_run(2), other = async_run(2, "cdf5");
  other.path = "other.nc";
  SlowStore slow;
  run_ranks(2, [&](const Communicator& comm) {
    const Communicator second = comm;
    auto first_pipeline = open_run(comm, slow.store(), one).value();
    auto other_pipeline = open_run(second, slow.store(), other).value();
    for (Index step = 0; step < one.end_step; ++step) {
      write_step(*first_pipeline, comm, one, step).check();
      write_step(*other_pipeline, second, other, step).check();
    }
    other_pipeline->close({}).check();
    first_pipeline->close({}).check();
  });
  expect_complete(slow.files, one, one.end_step);
  expect_complete(slow.files, other, other.end_step);
}

TEST(Async, AStageThatIsMissingIsAnErrorOfCreate) {
  RunPlan run = async_run(2);
  run.options["stage"] = "/nonexistent/stage";
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find("/nonexistent/stage"), std::string::npos) << status.message();
}

// The report has the memory in its own line, and what was stored after end_step.
TEST(Async, TheReportSaysWhatWasStoredLater) {
  const RunPlan run = async_run(1);
  SlowStore slow;
  run_ranks(1, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, slow.store(), run).value();
    slow.waits = true;
    write_step(*pipeline, comm, run, 0).check();
    slow.waits = false;
    const RunReport report = pipeline->report().value();
    double stored = 0, async = 0, memory = 0;
    for (const Spread& amount : report.counters.amounts) {
      if (amount.name == "stored_bytes") stored = amount.max;
      if (amount.name == "async_bytes") async = amount.max;
      if (amount.name == "async_memory_bytes") memory = amount.max;
    }
    EXPECT_GT(stored, 0);
    EXPECT_EQ(async, stored);
    EXPECT_GE(memory, stored);
    pipeline->close({}).check();
  });
}

}  // namespace
}  // namespace esker
