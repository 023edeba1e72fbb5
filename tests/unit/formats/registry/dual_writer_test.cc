// Runs that write a NetCDF file and an IDX dataset by the same steps.
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <set>

#include "format/schema_json.h"
#include "formats/registry/open_dataset.h"
#include "store/faulty_store.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

using Files = std::map<std::string, std::string>;

RunPlan run_of(const std::string& format, int n_ranks = 2) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = format == "idx" ? "run.idx" : "run.nc";
  run.options = {{"format", format}};
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

RunPlan dual_run(int n_ranks = 2) { return run_of("cdf5+idx", n_ranks); }

/// The schema file names the NetCDF file.
void add_netcdf(Files& files, const std::string& suffix = ".nc") {
  std::string& text = files.at("run/schema.json");
  text = print_schema(parse_schema(text).value(), suffix);
}

/// The files of separate runs in both formats.
Files expected_files(Index end_step = 3) {
  Files all;
  for (const char* format : {"cdf5", "idx"}) {
    RunPlan run = run_of(format, 1);
    run.end_step = end_step;
    all.merge(files_of(run));
  }
  add_netcdf(all);
  return all;
}

std::shared_ptr<Store> store_without_lock(Files files) {
  std::erase_if(files, [](const auto& file) { return file.first.ends_with(".esker-lock"); });
  return store_of(files);
}

Index steps_of(const std::shared_ptr<Store>& store, const std::string& path) {
  const auto dataset = open_dataset(store, path);
  return dataset.ok() ? static_cast<Index>((*dataset)->times.size()) : -1;
}

TEST(DualWriter, WritesTheFilesThatEachFormatWouldWrite) {
  const Files expected = expected_files();
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = dual_run(n_ranks);
      run.options.insert(way.begin(), way.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      ASSERT_TRUE(files_of(run) == expected);
    }
  }
}

// Rank 0 sends the addresses of a step's chunks, and ranks send their parts: the dual writer forwards both.
TEST(DualWriter, WritesNetcdf4FilesToo) {
  for (const std::string chunks : {"auto", "2,3,2"}) {
    Files expected = files_of(run_of("idx", 1));
    add_netcdf(expected);
    RunPlan alone = run_of("netcdf4", 1);
    alone.options["chunks"] = chunks;
    const auto store = memory_store();
    const Status status = write_all(store, alone);
    if (status.code() == Code::kUnsupported) GTEST_SKIP() << status.message();
    ASSERT_TRUE(status.ok()) << status.message();
    expected.merge(all_files(*store, "."));
    for (const int n_ranks : {1, 3}) {
      RunPlan run = run_of("netcdf4+idx", n_ranks);
      run.options["chunks"] = chunks;
      EXPECT_TRUE(files_of(run) == expected) << chunks << " on " << n_ranks;
    }
  }
}

TEST(DualWriter, BothReadAsTheSameSamples) {
  RunPlan run = dual_run();
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  for (const char* path : {"run.nc", "run.idx", "run"}) {
    run.path = path;
    run.checksums = std::string_view(path) != "run.nc";
    expect_complete(store, run, run.end_step);
    EXPECT_EQ(findings_of(store, path), std::vector<std::string>{});
  }
}

TEST(DualWriter, ContinuesAndRewindsBoth) {
  const auto store = memory_store();
  for (Index step = 0; step < 4; ++step) {
    RunPlan run = dual_run(static_cast<int>(4 - step));
    run.first_step = step;
    run.end_step = step + 1;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_TRUE(all_files(*store, ".") == expected_files(4));
  RunPlan again = dual_run();
  again.first_step = 2;
  ASSERT_TRUE(write_all(store, again).ok());
  EXPECT_TRUE(all_files(*store, ".") == expected_files(3));
}

TEST(DualWriter, NeitherIsReplacedOrContinuedWithoutTheOther) {
  for (const std::string format : {"cdf5", "idx"}) {
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run_of(format)).ok());
    EXPECT_EQ(write_all(store, dual_run()).code(), Code::kAlreadyExists);
    RunPlan next = dual_run();
    next.first_step = 3;
    next.end_step = 4;
    EXPECT_EQ(write_all(store, next).code(), Code::kNotFound) << format;
    EXPECT_FALSE(store->exists("run.esker-lock").value());
  }
}

/// Three steps in both formats, then steps up to `end_step` in one of them.
std::shared_ptr<Store> store_with_one_ahead(const std::string& format, Index end_step) {
  RunPlan alone = run_of(format, 1);
  alone.end_step = end_step;
  Files files = files_of(alone);
  files.erase("run/schema.json");
  files.merge(expected_files(3));
  return store_without_lock(files);
}

Result<std::unique_ptr<WritePipeline>> append(const Communicator& comm, const std::shared_ptr<Store>& store,
                                              const RunPlan& run, std::optional<double> to_time = {}) {
  return WritePipeline::append(comm.get(), store, run.path, options_of(run), to_time);
}

// A run in one format has continued, or the file belongs to another run: steps in only one of them are kept.
TEST(DualWriter, DifferentStepsAreRefusedWithoutATime) {
  for (const std::string format : {"cdf5", "idx"}) {
    const auto store = store_with_one_ahead(format, 5);
    const Files before = all_files(*store, ".");
    run_ranks(2, [&](const Communicator& comm) {
      for (const auto& to_time : {std::optional<double>(), std::optional(time_of(4))}) {
        const Status refused = append(comm, store, dual_run(), to_time).status();
        EXPECT_EQ(refused.code(), Code::kDataLoss);
        for (const char* part : {"run.nc", "dataset run ", "--to-time 20", " 3", " 5"}) {
          EXPECT_NE(refused.message().find(part), std::string::npos) << part << ": " << refused.message();
        }
      }
    });
    EXPECT_TRUE(all_files(*store, ".") == before) << format;
    run_ranks(2, [&](const Communicator& comm) {
      auto pipeline = append(comm, store, dual_run(), time_of(2)).value();
      EXPECT_EQ(pipeline->times().size(), 3u);
      EXPECT_TRUE(write_step(*pipeline, comm, dual_run(2), 3).ok());
      EXPECT_TRUE(pipeline->close({}).ok());
    });
    EXPECT_TRUE(all_files(*store, ".") == expected_files(4)) << format;
  }
}

// A kill can explain one more step in the NetCDF file, which is committed first.
TEST(DualWriter, OneStepMoreInTheIdxDatasetIsRefused) {
  const auto store = store_with_one_ahead("idx", 4);
  RunPlan next = dual_run();
  next.append = true;
  next.first_step = next.end_step = 3;
  EXPECT_EQ(write_all(store, next).code(), Code::kDataLoss);
  const auto killed = store_with_one_ahead("cdf5", 4);
  EXPECT_TRUE(write_all(killed, next).ok());
  EXPECT_TRUE(all_files(*killed, ".") == expected_files(3));
}

TEST(DualWriter, BothAreFoundByThePathOfEither) {
  for (const char* path : {"run.nc", "run.idx", "run"}) {
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, dual_run()).ok());
    RunPlan next = dual_run();
    next.path = path;
    next.options.erase("format");
    next.first_step = 3;
    next.end_step = 4;
    const Status status = write_all(store, next);
    ASSERT_TRUE(status.ok()) << path << ": " << status.message();
    EXPECT_TRUE(all_files(*store, ".") == expected_files(4)) << path;
    next.first_step = next.end_step = 2;
    ASSERT_TRUE(write_all(store, next).ok());
    EXPECT_TRUE(all_files(*store, ".") == expected_files(2)) << path;
  }
}

// Another program has changed one of the files.
TEST(DualWriter, ARewindThatOneFileRefusesChangesNeither) {
  for (const char* changed : {"run.nc", "run/xy.idx"}) {
    const auto store = memory_store();
    const RunPlan run = dual_run(1);
    const auto comm = Communicator::serial();
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    const std::string original = all_files(*store, ".").at(changed);
    std::string text = original;
    text.at(text.find("thk")) = 'X';
    const auto write = [&](const std::string& bytes) {
      store->open(changed, OpenMode::kWrite).value()->write_at(std::as_bytes(std::span(bytes)), 0).check();
    };
    write(text);
    const Files before = all_files(*store, ".");
    const Status refused = pipeline->rewind({}, time_of(0));
    EXPECT_EQ(refused.code(), Code::kDataLoss);
    EXPECT_NE(refused.message().find(changed), std::string::npos) << refused.message();
    EXPECT_TRUE(all_files(*store, ".") == before) << changed;
    write(original);
    EXPECT_TRUE(pipeline->close({}).ok());
    EXPECT_EQ(steps_of(store, "run.idx"), 1);
    EXPECT_EQ(steps_of(store, "run.nc"), 1);
  }
}

// A NetCDF file of the same name from another run does not belong to the dataset, and vice versa.
TEST(DualWriter, SeparateFilesAreContinuedSeparately) {
  for (const std::string format : {"cdf5", "idx"}) {
    Files both = files_of(run_of("cdf5"));
    both.merge(files_of(run_of("idx")));
    const auto store = store_without_lock(both);
    RunPlan next = run_of(format);
    next.options.erase("format");
    next.first_step = 3;
    next.end_step = 4;
    const Status status = write_all(store, next);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(steps_of(store, "run.nc"), format == "cdf5" ? 4 : 3);
    EXPECT_EQ(steps_of(store, "run.idx"), format == "idx" ? 4 : 3);
  }
}

TEST(DualWriter, AKillAtAnyCallLeavesTheCommittedStepsInBoth) {
  const Files expected = expected_files();
  const auto snapshots = moments_of(dual_run());
  ASSERT_GT(snapshots.size(), 50u);
  std::set<Index> seen;
  for (const Files& snapshot : snapshots) {
    const auto rest = store_without_lock(snapshot);
    const Index in_idx = steps_of(rest, "run.idx"), in_netcdf = steps_of(rest, "run.nc");
    const bool is_creating = in_idx == 0 && in_netcdf == -1 && snapshot.contains("run.nc.tmp");
    ASSERT_TRUE(in_idx == in_netcdf || in_idx + 1 == in_netcdf || is_creating)
        << in_idx << " and " << in_netcdf;
    ASSERT_FALSE(in_idx == -1 && in_netcdf == 0) << "a NetCDF file alone";
    seen.insert(in_idx);
    RunPlan next = dual_run(3);
    next.append = in_idx >= 0;
    next.first_step = std::max<Index>(0, in_idx);
    const Status status = write_all(rest, next);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(all_files(*rest, ".") == expected) << in_idx;
  }
  EXPECT_EQ(seen, (std::set<Index>{-1, 0, 1, 2, 3}));
}

// Each call to the file system fails once; the step is tried again.
TEST(DualWriter, AFailedStepCanBeRetried) {
  const Files expected = expected_files();
  for (int failing = 1;; ++failing) {
    SCOPED_TRACE("call " + std::to_string(failing));
    const auto store = memory_store();
    int calls = 0;
    const auto fault = [&](StoreCall, const std::string&) { return ++calls == failing ? EIO : 0; };
    RunPlan run = dual_run(1);
    bool all_written = true;
    run_ranks(1, [&](const Communicator& comm) {
      auto pipeline = open_run(comm, faulty_store(store, fault), run);
      if (!pipeline.ok()) return void(all_written = false);
      for (Index step = 0; step < run.end_step && all_written; ++step) {
        all_written =
            write_step(**pipeline, comm, run, step).ok() || write_step(**pipeline, comm, run, step).ok();
      }
      (void)(*pipeline)->close({});
    });
    store->remove("run.esker-lock").check();
    if (all_written) {
      ASSERT_TRUE(all_files(*store, ".") == expected);
    }
    ASSERT_TRUE(all_written || calls < 20) << "only opening ends at the first error";
    if (calls < failing) break;
  }
}

}  // namespace
}  // namespace esker
