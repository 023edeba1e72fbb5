// NetCDF-4 files of whole runs: the netCDF library reads every value, and their bytes do not depend on ranks.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <mutex>
#include <set>

#include "formats/netcdf/hdf5/journal.h"
#include "store/faulty_store.h"
#include "support/columns.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

RunPlan hdf5_run(int n_ranks) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = "run.nc";
  run.options = {{"format", "netcdf4"}, {"report", "none"}};
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

TEST(Hdf5Writer, NetcdfReadsEveryValue) {
  const RunPlan run = hdf5_run(3);
  const auto files = files_of(run);
  ASSERT_EQ(files.size(), 1u);
  const NetcdfFile file(files.at("run.nc"));
  int format = 0;
  nc(nc_inq_format(file.id(), &format));
  EXPECT_EQ(format, NC_FORMAT_NETCDF4);
  expect_values(file, schema_of(run), run.end_step);
  EXPECT_EQ(file.values("time", 2, false, 1), std::vector<double>{time_of(2)});
}

TEST(Hdf5Writer, FilesAreTheSameForAnyNumberOfRanksAndTransport) {
  const std::string expected = files_of(hdf5_run(1)).at("run.nc");
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = hdf5_run(n_ranks);
      run.new_boxes_each_step = true;
      run.options.insert(way.begin(), way.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      const auto files = files_of(run);
      ASSERT_EQ(files.at("run.nc") == expected, true);
    }
  }
}

TEST(Hdf5Writer, RanksThatWriteTheirOwnSamplesGiveTheSameFile) {
  RunPlan run = hdf5_run(4);
  run.aggregate = false;
  ASSERT_EQ(files_of(run).at("run.nc") == files_of(hdf5_run(1)).at("run.nc"), true);
}

TEST(Hdf5Writer, ChunksOfAnyShapeHoldEveryValue) {
  for (const char* chunks : {"1,1,1", "3,2,5", "100,1,2", "4,4,4"}) {
    for (const char* alignment : {"1", "512", "4K"}) {
      RunPlan run = hdf5_run(2);
      run.options["chunks"] = chunks;
      run.options["chunk_alignment"] = alignment;
      SCOPED_TRACE(std::string(chunks) + " aligned to " + alignment);
      const auto files = files_of(run);
      expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), run.end_step);
    }
  }
}

TEST(Hdf5Writer, ColumnsGiveTheFileOfRows) {
  for (const char* chunks : {"90,70,20", "45,35,20", "90,70,7", "80,60,18", "decomposition"}) {
    std::map<std::string, std::string> options{{"format", "netcdf4"}, {"chunks", chunks}};
    if (chunks[0] == '8') options["chunk_alignment"] = "4K";
    const std::string expected = file_of_columns(4, false, options);
    for (const char* transport : {"auto", "messages"}) {
      options["transport"] = transport;
      SCOPED_TRACE(text_of(options));
      ASSERT_EQ(file_of_columns(4, true, options) == expected, true);
    }
  }
}

TEST(Hdf5Writer, SeveralRunsGiveTheFileOfOneRun) {
  RunPlan whole = hdf5_run(1);
  whole.end_step = 4;
  const std::string expected = files_of(whole).at("run.nc");
  const auto store = memory_store();
  for (Index step = 0; step < 4; ++step) {
    RunPlan run = hdf5_run(static_cast<int>(4 - step));
    run.first_step = step;
    run.end_step = step + 1;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == expected, true);
  RunPlan again = hdf5_run(2);  // rewinds to step 1
  again.first_step = 2;
  again.end_step = 4;
  const Status status = write_all(store, again);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == expected, true);
}

// Bytes that a killed run left after the committed steps are cut off before the next step.
TEST(Hdf5Writer, LeftoversAreCutOff) {
  RunPlan run = hdf5_run(2);
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string expected = all_files(*store, ".").at("run.nc");
  const auto file = store->open("run.nc", OpenMode::kWrite).value();
  const std::string garbage(100000, 'g');
  file->write_at(std::as_bytes(std::span(garbage)), static_cast<Index>(expected.size())).check();
  run.first_step = run.end_step;
  run.end_step = run.first_step + 1;
  ASSERT_TRUE(write_all(store, run).ok());
  RunPlan whole = hdf5_run(1);
  whole.end_step = run.end_step;
  ASSERT_EQ(all_files(*store, ".").at("run.nc") == files_of(whole).at("run.nc"), true);
}

/// The files after a kill: the dataset and, if it exists, the journal.
std::map<std::string, std::string> remains_of(const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> remains;
  for (const std::string path : {"run.nc", "run.nc.esker-journal", "run.nc.esker-journal.tmp"}) {
    if (files.contains(path)) remains.insert(*files.find(path));
  }
  return remains;
}

// The files before any call to the file system are what a kill there leaves. After the journal, if any, is
// applied, the file opens, holds the committed steps, and continuing the run gives the file of one run.
TEST(Hdf5Writer, AKillAtAnyCallLeavesTheCommittedStepsAndARunCanContinue) {
  const RunPlan run = hdf5_run(2);
  const std::string expected = files_of(run).at("run.nc");
  const auto store = memory_store();
  std::mutex mutex;
  std::set<std::map<std::string, std::string>> snapshots;
  const auto look = [&](StoreCall, const std::string&) {
    const std::scoped_lock lock(mutex);
    const auto files = all_files(*store, ".");
    if (files.contains("run.nc")) snapshots.insert(remains_of(files));
    return 0;
  };
  ASSERT_TRUE(write_all([&](int) { return faulty_store(store, look); }, run).ok());
  ASSERT_GT(snapshots.size(), 40u);
  std::set<Index> seen;
  Index n_journals = 0;
  for (const auto& snapshot : snapshots) {
    const auto repaired = store_of(snapshot);
    n_journals += static_cast<Index>(snapshot.contains("run.nc.esker-journal"));
    hdf5::recover(*repaired, "run.nc", false).check();
    const std::string bytes = all_files(*repaired, ".").at("run.nc");
    const Index n_steps = committed_steps(bytes);
    seen.insert(n_steps);
    expect_values(NetcdfFile(bytes), schema_of(run), n_steps);
    const auto rest = store_of(snapshot);
    RunPlan next = hdf5_run(3);
    next.first_step = n_steps;
    next.overwrite = n_steps == 0;
    const Status status = write_all(rest, next);
    ASSERT_TRUE(status.ok()) << status.message();
    const auto after = all_files(*rest, ".");
    ASSERT_EQ(after.at("run.nc") == expected, true) << n_steps;
    ASSERT_FALSE(after.contains("run.nc.esker-journal"));
  }
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3}));
  EXPECT_GT(n_journals, 10);
}

TEST(Hdf5Writer, AfterAnyFailureTheFileHoldsTheCommittedStepsAndARunCanContinue) {
  RunPlan whole = hdf5_run(1);
  whole.end_step = 4;
  whole.fsync = Fsync::kStep;
  const std::string expected = files_of(whole).at("run.nc");
  RunPlan run = hdf5_run(1);
  run.fsync = Fsync::kStep;
  for (const int n_faults : {1, 2, 4}) {
    auto store = memory_store();
    const int n_attempts = n_faults == 4 ? 3 : 1;
    for (int first = 1; run_with_faults(store, run, first, n_faults, n_attempts); first += 2 * n_faults - 1) {
      SCOPED_TRACE(std::to_string(n_faults) + " from call " + std::to_string(first));
      const auto files = remains_of(all_files(*store, "."));
      RunPlan next = hdf5_run(2);
      next.end_step = 4;
      if (files.contains("run.nc")) {
        const auto repaired = store_of(files);
        hdf5::recover(*repaired, "run.nc", false).check();
        const std::string bytes = all_files(*repaired, ".").at("run.nc");
        next.first_step = committed_steps(bytes);
        next.overwrite = next.first_step == 0;
        expect_values(NetcdfFile(bytes), schema_of(run), next.first_step);
      }
      const Status status = write_all(store, next);
      ASSERT_TRUE(status.ok()) << status.message();
      const auto after = all_files(*store, ".");
      ASSERT_EQ(after.size(), 1u);
      ASSERT_EQ(after.at("run.nc") == expected, true);
      store = memory_store();
    }
  }
}

TEST(Hdf5Writer, ReplacesOnlyFilesOfEsker) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("esker-foreign-" + std::to_string(getpid()));
  int id = 0, dim = 0;
  nc(nc_create(path.c_str(), NC_NETCDF4, &id));
  nc(nc_def_dim(id, "x", 3, &dim));
  nc(nc_close(id));
  const std::string foreign = read_text(*posix_store(), path, 1 << 20).value();
  std::filesystem::remove(path);
  for (const std::string& content : {foreign, std::string("no HDF5 file at all"), std::string()}) {
    const auto store = store_of({{"run.nc", content}});
    RunPlan run = hdf5_run(2);
    run.overwrite = true;
    const Status status = write_all(store, run);
    EXPECT_EQ(status.code(), Code::kAlreadyExists) << status.message();
    EXPECT_NE(status.message().find("was not written by Esker"), std::string::npos) << status.message();
    EXPECT_EQ(read_text(*store, "run.nc", 1 << 20).value() == content, true);
    run.first_step = 1;
    EXPECT_EQ(write_all(store, run).code(), Code::kDataLoss);
  }
}

TEST(Hdf5Writer, AFileThatAnotherProgramChangedCanBeRewound) {
  const auto store = memory_store();
  const RunPlan run = hdf5_run(2);
  ASSERT_TRUE(write_all(store, run).ok());
  const std::string path =
      std::filesystem::temp_directory_path() / ("esker-changed-" + std::to_string(getpid()));
  posix_store()->create_exclusive(path, all_files(*store, ".").at("run.nc")).check();
  int id = 0;
  nc(nc_open(path.c_str(), NC_WRITE, &id));
  nc(nc_put_att_text(id, NC_GLOBAL, "history", 5, "ncks "));
  nc(nc_close(id));
  const auto changed = store_of({{"run.nc", read_text(*posix_store(), path, 1 << 24).value()}});
  std::filesystem::remove(path);
  RunPlan again = hdf5_run(3);
  again.first_step = 2;
  again.end_step = 5;
  const Status status = write_all(changed, again);
  ASSERT_TRUE(status.ok()) << status.message();
  const NetcdfFile file(all_files(*changed, ".").at("run.nc"));
  expect_values(file, schema_of(again), 5);
  std::size_t length = 0;
  nc(nc_inq_attlen(file.id(), NC_GLOBAL, "history", &length));
  EXPECT_EQ(length, 5u);
}

// Hundreds of steps: the index of chunks grows, and splits.
TEST(Hdf5Writer, ManyStepsInSmallChunks) {
  RunPlan run = hdf5_run(1);
  run.end_step = 200;
  run.options["chunks"] = "5,5,5";
  const auto files = files_of(run);
  expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), run.end_step);
}

}  // namespace
}  // namespace esker
