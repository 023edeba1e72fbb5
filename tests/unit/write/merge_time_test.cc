// The time of `esker merge`: proportional to the number of bricks times the size of a block, within 50 % over
// a factor of 8. Time is that of the processor, so that other programs do not count; in memory
// (TMPDIR=/dev/shm) this is nearly all. Prints what it measured as JSON.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>

#include "formats/idx/merge.h"
#include "support/runs.h"
#include "support/scenario.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs
namespace fs = std::filesystem;

constexpr int kBits = 17;  // 1 MiB per block: more than caches hold, also in 4 bricks

RunPlan run_with(int bricks, const std::string& path) {
  Schema schema;
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) {
    dims.push_back(schema.add_dim(name, dims.empty() ? 256 : 128).value());
  }
  const int grid = schema.add_grid("volume", dims).value().index;
  for (const char* name : {"u", "v"}) {
    schema.add_field({name, grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  }
  RunPlan run;
  run.schema = schema;
  run.n_ranks = bricks;
  run.end_step = 1;
  run.path = path;
  run.options = {{"partitions", std::to_string(bricks)},
                 {"partition_index", "hybrid"},
                 {"bits_per_block", std::to_string(kBits)}};
  return run;
}

/// The least of several repetitions.
double seconds_to_merge(int bricks, const fs::path& top) {
  fs::remove_all(top);
  const RunPlan run = run_with(bricks, (top / "written/run.idx").string());
  write_all(posix_store(), run).check();
  double least = std::numeric_limits<double>::max();
  for (int n = 0; n < 9; ++n) {
    fs::remove_all(top / "merged");
    fs::copy(top / "written", top / "merged", fs::copy_options::recursive);
    const std::clock_t begin = std::clock();
    const auto report = idx::merge_on(posix_store(), (top / "merged/run.idx").string());
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_EQ(report.value().blocks, 2 * bricks);
    least = std::min(least, took);
  }
  fs::remove_all(top);
  return least;
}

TEST(MergeTime, IsProportionalToTheBricks) {
  const fs::path top = fs::temp_directory_path() / ("esker-merge-time-" + std::to_string(::getpid()));
  const double at_4 = seconds_to_merge(4, top);
  std::string json = "{\"fields\": 2, \"block_bytes\": 1048576, \"seconds\": {\"4\": " + std::to_string(at_4);
  double ratio = 0;
  for (const int bricks : {8, 16, 32}) {
    const double seconds = seconds_to_merge(bricks, top);
    ratio = seconds / at_4 * 4 / bricks;
    json += ", \"" + std::to_string(bricks) + "\": " + std::to_string(seconds);
  }
  std::puts((json + "}, \"ratio_per_brick_32_to_4\": " + std::to_string(ratio) + "}").c_str());
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 1.5);
}

}  // namespace
}  // namespace esker
