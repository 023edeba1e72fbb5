// NetCDF-4 files of whole runs, beyond what conformance_test.cc checks of all formats.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <filesystem>

#include "support/columns.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"

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
