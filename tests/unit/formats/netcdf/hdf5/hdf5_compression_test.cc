// Compressed NetCDF-4 files of whole runs: netCDF reads every value, and their bytes do not depend on ranks.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>

#include "support/columns.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

RunPlan zip_run(int n_ranks, const std::string& compression = "zip") {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = "run.nc";
  run.options = {{"format", "netcdf4"}, {"compression", compression}, {"chunks", "7,5,4"}};
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

std::string file_of(const RunPlan& run) { return files_of(run).at("run.nc"); }

TEST(Hdf5Compression, NetcdfReadsEveryValue) {
  for (const char* chunks : {"auto", "7,5,4", "1,1,1", "100,1,2"}) {
    RunPlan run = zip_run(3);
    run.options["chunks"] = chunks;
    SCOPED_TRACE(chunks);
    const std::string bytes = file_of(run);
    expect_values(NetcdfFile(bytes), schema_of(run), run.end_step);
  }
}

TEST(Hdf5Compression, EskerReadsEveryValue) {
  for (const char* compression : {"zip", "zip-Z_BEST_SPEED", "zstd"}) {
    const RunPlan run = zip_run(3, compression);
    SCOPED_TRACE(compression);
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run).ok());
    expect_complete(store, run, run.end_step);
  }
}

TEST(Hdf5Compression, VariablesHaveFilters) {
  const RunPlan run = zip_run(2);
  const NetcdfFile file(file_of(run));
  const Schema schema = schema_of(run);
  for (const Field& field : schema.fields()) {
    int shuffle = 0, deflate = 0, level = 0;
    nc(nc_inq_var_deflate(file.id(), file.variable(field.name), &shuffle, &deflate, &level));
    const bool has_axes = !schema.has_no_axes(schema.grid_of(field));
    EXPECT_EQ(deflate, has_axes ? 1 : 0) << field.name;
    EXPECT_EQ(shuffle, has_axes && size_bytes(field.type) > 1 ? 1 : 0) << field.name;
    EXPECT_EQ(level, has_axes ? 6 : 0) << field.name;
  }
}

TEST(Hdf5Compression, FilesAreTheSameForAnyNumberOfRanks) {
  const std::string expected = file_of(zip_run(1));
  for (const int n_ranks : {1, 2, 4, 7, 16}) {
    for (const int aggregators : {0, 1, 2, n_ranks}) {
      if (aggregators > n_ranks) continue;
      RunPlan run = zip_run(n_ranks);
      run.aggregators = aggregators;
      run.new_boxes_each_step = true;
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + std::to_string(aggregators) + " aggregators");
      ASSERT_EQ(file_of(run) == expected, true);
    }
  }
}

TEST(Hdf5Compression, FilesAreTheSameForAnyTransport) {
  const std::string expected = file_of(zip_run(1));
  for (const int n_ranks : {2, 4}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = zip_run(n_ranks);
      run.options.insert(way.begin(), way.end());
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      ASSERT_EQ(file_of(run) == expected, true);
    }
  }
}

TEST(Hdf5Compression, FilesAreTheSameForAnyBudgetAndThreads) {
  const std::string expected = file_of(zip_run(1));
  for (const Index budget : {Index{256} << 10, Index{1} << 20}) {
    for (const char* threads : {"1", "3"}) {
      RunPlan run = zip_run(4);
      run.memory_budget = budget;
      run.options["compress_threads"] = threads;
      SCOPED_TRACE(std::to_string(budget) + " bytes, " + threads + " threads");
      ASSERT_EQ(file_of(run) == expected, true);
    }
  }
}

TEST(Hdf5Compression, DataFollowEachOtherWithoutHoles) {
  RunPlan run = zip_run(3);
  run.options["chunks"] = "auto";
  RunPlan raw = run;
  raw.options.erase("compression");
  EXPECT_LT(file_of(run).size(), file_of(raw).size());
}

TEST(Hdf5Compression, AppendedAndRewoundRunsGiveTheFileOfOneRun) {
  RunPlan whole = zip_run(2);
  whole.end_step = 5;
  const std::string expected = file_of(whole);
  for (const Index kept : {0, 1, 2, 4}) {
    const auto store = memory_store();
    RunPlan first = zip_run(3);
    first.end_step = 4;
    ASSERT_TRUE(write_all(store, first).ok());
    RunPlan second = zip_run(4);
    second.append = true;
    second.first_step = kept;
    second.end_step = 5;
    SCOPED_TRACE(std::to_string(kept) + " steps kept");
    const Status status = write_all(store, second);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(all_files(*store, ".").at("run.nc") == expected, true);
  }
}

// Each call to the file system fails once; the step is written again.
TEST(Hdf5Compression, StepsAreRetriedAfterAnyFault) {
  RunPlan run = zip_run(1);
  run.options["chunks"] = "auto";
  run.end_step = 2;
  const std::string expected = file_of(run);
  bool is_reached = true;
  for (int first = 1; is_reached; ++first) {
    const auto store = memory_store();
    is_reached = run_with_faults(store, run, first, 1, 3);
    const auto files = all_files(*store, ".");
    if (files.count("run.nc") == 0) continue;
    const Index steps = committed_steps(files.at("run.nc"));
    expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), steps);
    if (steps < run.end_step) continue;
    ASSERT_EQ(files.at("run.nc") == expected, true) << first;
  }
}

TEST(Hdf5Compression, TwoFormatsAreBothCompressed) {
  RunPlan run = zip_run(4);
  run.options["format"] = "netcdf4+idx";
  const auto files = files_of(run);
  ASSERT_EQ(files.at("run.nc").size() > 0, true);
  expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), run.end_step);
}

std::string message_of(const std::string& compression, const std::string& format = "netcdf4") {
  RunPlan run = zip_run(2, compression);
  run.options["format"] = format;
  const auto store = memory_store();
  const Status status = write_all(store, run);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(all_files(*store, ".").count("run.nc"), 0u);
  return status.message();
}

TEST(Hdf5Compression, ErrorsNameFieldAndValidOnes) {
  const std::string lz4 = message_of("lz4");
  EXPECT_NE(lz4.find("field '"), std::string::npos) << lz4;
  EXPECT_NE(lz4.find("compression lz4: NetCDF-4 files do not have it; expected none, zip, "),
            std::string::npos)
      << lz4;
  EXPECT_NE(lz4.find("zstd"), std::string::npos) << lz4;
  const std::string bits = message_of("bitround=9");  // some fields are integers
  EXPECT_NE(bits.find("bitround: values of type"), std::string::npos) << bits;
  const std::string zfp = message_of("zfp-reversible");
  EXPECT_NE(zfp.find("zfp: "), std::string::npos) << zfp;
  const std::string cdf = message_of("zip", "cdf5");
  EXPECT_NE(cdf.find("CDF files cannot be compressed; set compression=none"), std::string::npos) << cdf;
}

TEST(Hdf5Compression, WithCdfOnlyTheIdxDatasetIsCompressed) {
  RunPlan run = zip_run(4);
  run.options["format"] = "cdf5+idx";
  run.options["report"] = "r.json";
  run.options.erase("chunks");
  RunPlan raw = run;
  raw.options.erase("compression");
  const auto files = files_of(run), raw_files = files_of(raw);
  EXPECT_NE(files.at("r.json").find("the CDF file is not compressed"), std::string::npos);
  EXPECT_EQ(raw_files.at("r.json").find("not compressed"), std::string::npos);
  expect_values(NetcdfFile(files.at("run.nc")), schema_of(run), run.end_step);
}

// ---- lossy ----

TEST(Hdf5Compression, LossyFilesAreTheSameForAnyNumberOfRanksAndMemoryOrder) {
  for (const char* compression :
       {"bitround=3", "zfp-reversible", "zfp-precision=12", "zfp-accuracy=0.5", "zstd", "zip-Z_BEST_SPEED"}) {
    const std::map<std::string, std::string> options{
        {"format", "netcdf4"}, {"chunks", "45,35,8"}, {"compression", compression}};
    const std::string expected = file_of_columns(1, false, options);
    SCOPED_TRACE(compression);
    ASSERT_EQ(file_of_columns(4, false, options) == expected, true);
    ASSERT_EQ(file_of_columns(4, true, options) == expected, true);
    ASSERT_EQ(file_of_columns(3, true, options) == expected, true);
  }
}

TEST(Hdf5Compression, BitRoundingKeepsItsBound) {
  const NetcdfFile file(file_of_columns(
      4, false, {{"format", "netcdf4"}, {"chunks", "45,35,8"}, {"compression", "bitround=3"}}));
  const NetcdfFile exact(file_of_columns(4, false, {{"format", "netcdf4"}}));
  for (const char* name : {"temp", "density", "depth"}) {
    const bool fixed = std::string(name) == "depth";
    const auto found = file.values(name, 0, fixed, 90 * 70 * 20),
               wanted = exact.values(name, 0, fixed, 90 * 70 * 20);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_LE(std::abs(found[i] - wanted[i]), wanted[i] / 16) << name;
      largest = std::max(largest, std::abs(found[i] - wanted[i]));
    }
    EXPECT_GT(largest, 0) << name;
    int bits = 0;
    nc(nc_get_att_int(file.id(), file.variable(name), "_QuantizeBitRoundNumberOfSignificantBits", &bits));
    EXPECT_EQ(bits, 3);
  }
}

}  // namespace
}  // namespace esker
