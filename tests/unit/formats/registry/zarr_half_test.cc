// Runs that write a netCDF file and a Zarr group by the same steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "formats/registry/open_dataset.h"
#include "formats/zarr/metadata.h"
#include "support/netcdf_runs.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

using Files = std::map<std::string, std::string>;

constexpr const char* kGroup = "run.zarr/zarr.json";

RunPlan run_of(const std::string& format, int n_ranks = 2) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.path = format == "zarr" ? "run.zarr" : "run.nc";
  run.options = {{"format", format}};
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

RunPlan dual_run(int n_ranks = 2) { return run_of("cdf5+zarr", n_ranks); }

/// The files of separate runs in both formats. The group names the suffix of the netCDF file.
Files expected_files(Index end_step = 3, const std::string& first = "cdf5", const char* levels = "0") {
  Files all;
  for (const std::string& format : {first, std::string("zarr")}) {
    RunPlan run = run_of(format, 1);
    run.end_step = end_step;
    if (format == "zarr") run.options["levels"] = levels;
    all.merge(files_of(run));
  }
  zarr::Group group = zarr::parse_group(all.at(kGroup)).value();
  group.other_suffix = ".nc";
  all.at(kGroup) = print_group(group);
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

TEST(NetcdfAndZarr, AreTheFilesThatEachFormatWouldWrite) {
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

TEST(NetcdfAndZarr, OnlyTheGroupHasLevels) {
  const Files expected = expected_files(3, "cdf5", "1");
  ASSERT_TRUE(expected.contains("run.zarr/1/zarr.json"));
  for (const int n_ranks : {1, 2, 5}) {
    for (const auto& way : ways_to_move(n_ranks)) {
      RunPlan run = dual_run(n_ranks);
      run.options.insert(way.begin(), way.end());
      run.options["levels"] = "1";
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(way));
      ASSERT_TRUE(files_of(run) == expected);
    }
  }
}

TEST(NetcdfAndZarr, AreContinuedWithLevels) {
  const auto store = memory_store();
  RunPlan run = dual_run();
  run.options["levels"] = "1";
  ASSERT_TRUE(write_all(store, run).ok());
  run.options.clear();
  run.first_step = 3;
  run.end_step = 4;
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(all_files(*store, ".") == expected_files(4, "cdf5", "1"));
  run.first_step = run.end_step = 2;
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_TRUE(all_files(*store, ".") == expected_files(2, "cdf5", "1"));
}

TEST(NetcdfAndZarr, AreNetcdf4FilesToo) {
  const Status status = write_all(memory_store(), run_of("netcdf4", 1));
  if (status.code() == Code::kUnsupported) GTEST_SKIP() << status.message();
  for (const char* levels : {"0", "1"}) {
    const Files expected = expected_files(3, "netcdf4", levels);
    for (const int n_ranks : {1, 3}) {
      RunPlan run = run_of("netcdf4+zarr", n_ranks);
      run.options["levels"] = levels;
      EXPECT_TRUE(files_of(run) == expected) << n_ranks << " ranks, levels: " << levels;
    }
  }
}

TEST(NetcdfAndZarr, OnlyTheGroupIsCompressedNextToCdf) {
  RunPlan run = dual_run();
  run.options["compression"] = "zstd";
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  for (const char* path : {"run.nc", "run.zarr"}) {
    run.path = path;
    run.checksums = run.path == "run.zarr";
    expect_complete(store, run, run.end_step);
    EXPECT_EQ(findings_of(store, path), std::vector<std::string>{});
  }
  EXPECT_NE(all_files(*store, ".").at(kGroup).find("\"zstd\""), std::string::npos);
}

TEST(NetcdfAndZarr, AreFoundByThePathOfEither) {
  for (const char* path : {"run.nc", "run.zarr", "run"}) {
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

TEST(NetcdfAndZarr, OfTwoRunsAreContinuedSeparately) {
  for (const std::string format : {"cdf5", "zarr"}) {
    Files both = files_of(run_of("cdf5"));
    both.merge(files_of(run_of("zarr")));
    const auto store = store_without_lock(both);
    RunPlan next = run_of(format);
    next.options.erase("format");
    next.first_step = 3;
    next.end_step = 4;
    const Status status = write_all(store, next);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(steps_of(store, "run.nc"), format == "cdf5" ? 4 : 3);
    EXPECT_EQ(steps_of(store, "run.zarr"), format == "zarr" ? 4 : 3);
  }
}

// A kill can leave one more step in the netCDF file, which is committed first.
TEST(NetcdfAndZarr, HoldTheCommittedStepsAfterAKillAtAnyCall) {
  const Files expected = expected_files();
  const auto moments = moments_of(dual_run());
  ASSERT_GT(moments.size(), 50U);
  std::set<Index> seen;
  for (const Files& moment : moments) {
    for (const char* path : {"run.nc", "run.zarr"}) {
      const auto rest = store_without_lock(moment);
      const Index in_zarr = steps_of(rest, "run.zarr"), in_netcdf = steps_of(rest, "run.nc");
      const bool is_creating = in_zarr == 0 && in_netcdf == -1 && moment.contains("run.nc.tmp");
      ASSERT_TRUE(in_zarr == in_netcdf || in_zarr + 1 == in_netcdf || is_creating)
          << in_zarr << " and " << in_netcdf;
      seen.insert(in_zarr);
      RunPlan next = dual_run(3);
      next.path = path;
      next.append = in_zarr >= 0;
      const bool is_found = in_netcdf >= 0 || next.path == "run.zarr";
      if (next.append && is_found) next.options.erase("format");
      next.first_step = std::max<Index>(0, in_zarr);
      const Status status = write_all(rest, next);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_TRUE(all_files(*rest, ".") == expected) << in_zarr;
    }
  }
  EXPECT_EQ(seen, (std::set<Index>{-1, 0, 1, 2, 3}));
}

}  // namespace
}  // namespace esker
