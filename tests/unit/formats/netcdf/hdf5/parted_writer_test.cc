// NetCDF-4 datasets with one file per partition: Esker and netCDF read every value, the files do not depend
// on ranks, and neither kills nor lost parts give wrong values.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <set>

#include "formats/registry/open_dataset.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs
namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

RunPlan parted_run(int n_ranks, int n_partitions = 3) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = "run.nc";
  run.options = {{"format", "netcdf4"},
                 {"report", "none"},
                 {"partition_index", "local"},
                 {"partitions", std::to_string(n_partitions)}};
  run.seed = static_cast<unsigned>(n_ranks);
  run.checksums = false;
  return run;
}

std::string part_path(int file) { return "run.nc.parts/part_000" + std::to_string(file) + ".nc"; }

/// A directory of the file system with these files.
class Directory {
 public:
  explicit Directory(const Files& files)
      : path_(fs::temp_directory_path() / ("esker-parted-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    for (const auto& [name, bytes] : files) {
      const auto file = posix_store()->open((path_ / name).string(), OpenMode::kWrite).value();
      file->write_at(std::as_bytes(std::span(bytes)), 0).check();
    }
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { fs::remove_all(path_); }
  [[nodiscard]] fs::path path() const { return path_; }

 private:
  fs::path path_;
};

TEST(PartedWriter, EskerAndNetcdfReadEveryValue) {
  for (int n_partitions = 1; n_partitions <= 8; ++n_partitions) {
    SCOPED_TRACE(n_partitions);
    const RunPlan run = parted_run(3, n_partitions);
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    const Files files = all_files(*store, ".");
    ASSERT_EQ(std::ssize(files), n_partitions + 2);  // also the plane's fields, and the virtual file
    expect_complete(store, run, run.end_step);
    const Directory directory(files);
    expect_values(NetcdfFile::at(directory.path() / "run.nc"), schema_of(run), run.end_step);
  }
}

TEST(PartedWriter, FilesAreTheSameForAnyNumberOfRanksAndTransport) {
  for (const int n_partitions : {2, 5}) {
    const Files expected = files_of(parted_run(1, n_partitions));
    for (const int n_ranks : {2, 4, 7}) {
      for (const auto& way : ways_to_move(n_ranks)) {
        RunPlan run = parted_run(n_ranks, n_partitions);
        run.new_boxes_each_step = true;
        run.options.insert(way.begin(), way.end());
        SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
        ASSERT_EQ(files_of(run) == expected, true);
      }
    }
  }
}

TEST(PartedWriter, CompressedPartsHoldEveryValue) {
  RunPlan run = parted_run(1, 4);
  run.options["compression"] = "zip";
  run.options["chunks"] = "4,5,6";
  const Files expected = files_of(run);
  const Directory directory(expected);
  expect_values(NetcdfFile::at(directory.path() / "run.nc"), schema_of(run), run.end_step);
  for (const int n_ranks : {2, 4, 7}) {
    run.n_ranks = n_ranks;
    run.new_boxes_each_step = true;
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*store, ".") == expected, true) << n_ranks;
    expect_complete(store, run, run.end_step);
  }
}

TEST(PartedWriter, APartIsADatasetOfItsOwnBox) {
  const auto store = memory_store();
  const RunPlan run = parted_run(2, 2);
  ASSERT_TRUE(write_all(store, run).ok());
  Index slices = 0;
  for (const int file : {0, 1}) {
    const auto part = open_dataset(store, part_path(file)).value();
    EXPECT_EQ(part->times.size(), 3u);
    EXPECT_EQ(part->schema.fields().size(), 3u);
    slices += part->schema.find_dim("y")->size;
  }
  EXPECT_EQ(slices, 33);
  EXPECT_EQ(open_dataset(store, part_path(2)).value()->schema.fields().size(), 4u);
}

TEST(PartedWriter, SeveralRunsGiveTheFilesOfOneRun) {
  RunPlan whole = parted_run(1);
  whole.end_step = 4;
  const Files expected = files_of(whole);
  const auto store = memory_store();
  for (Index step = 0; step < 4; ++step) {
    RunPlan run = parted_run(static_cast<int>(4 - step));
    run.first_step = step;
    run.end_step = step + 1;
    if (step > 0) {  // a dataset keeps its form
      run.options.erase("partitions");
      run.options.erase("partition_index");
    }
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(all_files(*store, ".") == expected, true);
  RunPlan again = parted_run(2);  // rewinds to step 1
  again.first_step = 2;
  again.end_step = 4;
  const Status status = write_all(store, again);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".") == expected, true);
}

TEST(PartedWriter, AKillAtAnyCallLeavesTheCommittedStepsAndARunCanContinue) {
  RunPlan run = parted_run(2, 2);
  run.end_step = 2;
  const Files expected = files_of(run);
  const auto snapshots = moments_of(run, "run.nc");
  ASSERT_GT(snapshots.size(), 40u);
  std::set<Index> seen;
  Index n_ahead = 0, number = 0;
  for (const Files& snapshot : snapshots) {
    if (++number % 9 > 0) continue;  // the order of a set is unrelated to that of calls
    const auto left = store_of(snapshot);
    const auto opened = open_dataset(left, "run.nc");
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    const auto n_steps = static_cast<Index>((*opened)->times.size());
    seen.insert(n_steps);
    n_ahead += findings_of(left, "run.nc").empty() ? 0 : 1;
    expect_complete(left, run, n_steps);
    RunPlan next = parted_run(3, 2);
    next.end_step = run.end_step;
    next.first_step = n_steps;
    next.overwrite = n_steps == 0;
    const Status status = write_all(left, next);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*left, ".") == expected, true) << n_steps;
  }
  EXPECT_TRUE(seen.contains(0) && seen.contains(1));
  EXPECT_GT(n_ahead, 0);
}

TEST(PartedWriter, AfterAnyFailureTheFilesHoldTheCommittedStepsAndARunCanContinue) {
  RunPlan whole = parted_run(1, 2);
  whole.single = true;
  whole.fsync = Fsync::kStep;
  const Files expected = files_of(whole);
  RunPlan run = whole;
  run.end_step = 2;
  for (const int n_faults : {1, 3}) {
    auto store = memory_store();
    for (int first = 1; run_with_faults(store, run, first, n_faults, 2); first += 16 - n_faults) {
      SCOPED_TRACE(std::to_string(n_faults) + " from call " + std::to_string(first));
      RunPlan next = whole;
      next.overwrite = true;
      if (store->exists("run.nc").value()) {
        const auto opened = open_dataset(store, "run.nc");
        ASSERT_TRUE(opened.ok()) << opened.status().message();
        next.first_step = static_cast<Index>((*opened)->times.size());
        next.overwrite = next.first_step == 0;
        if (next.first_step > 0) expect_complete(store, run, next.first_step);
      }
      const Status status = write_all(store, next);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(all_files(*store, ".") == expected, true);
      store = memory_store();
    }
  }
}

/// The message of opening the dataset, which must be kDataLoss; and that appending says the same.
std::string refusal_of(const Files& files) {
  const auto store = store_of(files);
  const Status opened = open_dataset(store, "run.nc").status();
  EXPECT_EQ(opened.code(), Code::kDataLoss) << opened.message();
  RunPlan next = parted_run(2);
  next.first_step = 3;
  next.end_step = 4;
  const Status appended = write_all(store, next);
  EXPECT_EQ(appended.code(), Code::kDataLoss) << appended.message();
  return std::string(opened.message());
}

void expect_part(const std::string& message, const std::string& found) {
  EXPECT_NE(message.find(found), std::string::npos) << message;
}

TEST(PartedWriter, AMissingExchangedOrOlderPartIsRefused) {
  const Files files = files_of(parted_run(2));
  Files changed = files;
  changed.erase(part_path(1));
  expect_part(refusal_of(changed), "part 1 of 4 is missing");
  changed = files;
  changed[part_path(1)] = files.at(part_path(0));  // doubled
  expect_part(refusal_of(changed), part_path(1));
  std::swap(changed[part_path(0)], changed[part_path(2)]);
  expect_part(refusal_of(changed), part_path(0));
  changed = files;
  changed[part_path(1)] = files.at(part_path(1)).substr(0, 1000);
  expect_part(refusal_of(changed), "part 1 of 4 is damaged");
  RunPlan shorter = parted_run(2);
  shorter.end_step = 2;
  changed = files;
  changed[part_path(2)] = files_of(shorter).at(part_path(2));
  expect_part(refusal_of(changed), "has 2 steps");
  changed = files;
  changed[part_path(3)] = files_of(parted_run(2, 4)).at(part_path(3));
  expect_part(refusal_of(changed), part_path(3));
}

TEST(PartedWriter, ReplacedDatasetsLeaveNoParts) {
  RunPlan run = parted_run(2, 5);
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  run = parted_run(2, 2);
  run.overwrite = true;
  Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".") == files_of(parted_run(1, 2)), true);
  RunPlan plain = run;
  plain.options = {{"format", "netcdf4"}, {"report", "none"}};
  status = write_all(store, plain);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".").size(), 1u);
  expect_complete(store, plain, plain.end_step);
  status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".") == files_of(parted_run(1, 2)), true);
}

TEST(PartedWriter, WhatHasNoPartsIsAnError) {
  const auto error_of = [](const std::map<std::string, std::string>& options) {
    RunPlan run = parted_run(2, 2);
    for (const auto& [name, value] : options) run.options[name] = value;
    return write_all(memory_store(), run);
  };
  const Status by_boxes = error_of({{"chunks", "decomposition"}});
  EXPECT_EQ(by_boxes.code(), Code::kUnsupported);
  EXPECT_NE(by_boxes.message().find("set chunks=auto"), std::string::npos) << by_boxes.message();
  const Status cdf = error_of({{"format", "cdf5"}});
  EXPECT_EQ(cdf.code(), Code::kInvalidArgument);
  EXPECT_NE(cdf.message().find("format=netcdf4 and partition_index=local"), std::string::npos)
      << cdf.message();
  EXPECT_EQ(error_of({{"format", "netcdf4+idx"}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(error_of({{"partition_index", "global"}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(error_of({{"partitions", "100000"}}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker
