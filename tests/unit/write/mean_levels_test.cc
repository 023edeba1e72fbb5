// Levels of Zarr as means (level_values=mean): the same bytes on any number of ranks and with any patches,
// and in any way to move samples; memory; what is refused. tests/python/test_zarr_means.py compares values.
#include "write/mean_levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

constexpr double kFill = -1e30;

/// Grids of one to five axes with odd extents, of all kinds of sums, with and without missing values.
Schema schema_of_means() {
  Schema schema;
  std::vector<DimId> dims;
  for (const auto& [name, extent] :
       {std::pair("x", 21), std::pair("y", 10), std::pair("z", 7), std::pair("u", 3), std::pair("v", 2)}) {
    dims.push_back(schema.add_dim(name, extent).value());
  }
  const auto grid = [&](std::size_t rank) {
    return schema.add_grid("g" + std::to_string(rank), {dims.begin(), dims.begin() + static_cast<long>(rank)})
        .value()
        .index;
  };
  const int line = grid(1), plane = grid(2), volume = grid(3), hyper = grid(4), most = grid(5);
  const auto add = [&](Field field) { schema.add_field(std::move(field)).status().check(); };
  add({.name = "temp",
       .grid = volume,
       .type = SampleType::kFloat64,
       .attributes = {{"_FillValue", std::vector<double>{kFill}}}});
  add({.name = "vel", .grid = volume, .components = 3, .attributes = {}});
  add({.name = "count", .grid = volume, .type = SampleType::kInt64, .every = 2, .attributes = {}});
  add({.name = "mask",
       .grid = plane,
       .type = SampleType::kUint8,
       .attributes = {{"missing_value", std::vector<std::int64_t>{7}}}});
  add({.name = "topg", .grid = plane, .type = SampleType::kFloat64, .fixed = true, .attributes = {}});
  add({.name = "height", .grid = line, .type = SampleType::kFloat64, .attributes = {}});
  add({.name = "four", .grid = hyper, .type = SampleType::kFloat64, .attributes = {}});
  add({.name = "five", .grid = most, .type = SampleType::kFloat32, .attributes = {}});
  return schema;
}

/// Sums of such values depend on the order of additions, and some are missing.
double uneven(double value, const Point& p) {
  const double mixed = 1000 * value + static_cast<double>(p[0] + 3 * p[1] + 7 * p[2] + 11 * p[3] + 13 * p[4]);
  if (std::fmod(mixed, 11) < 2) return std::numeric_limits<double>::quiet_NaN();
  if (std::fmod(mixed, 17) < 1) return kFill;
  return std::sin(mixed) * std::pow(10.0, std::fmod(mixed, 9));
}

template <class T>
void make_uneven(const Patch& patch, int components) {
  for_each_point(patch.box, [&](const Point& p) {
    auto* at = static_cast<std::byte*>(const_cast<void*>(patch.data));  // of the test's own memory
    for (int a = 0; a < patch.box.rank; ++a) at += (p[a] - patch.box.lo[a]) * patch.stride_bytes[a];
    for (int c = 0; c < components; ++c) {
      T value;
      std::memcpy(&value, at + c * patch.component_stride_bytes, sizeof(T));
      value = static_cast<T>(uneven(static_cast<double>(value) + c, p));
      std::memcpy(at + c * patch.component_stride_bytes, &value, sizeof(T));
    }
  });
}

Status write_uneven(const Communicator& comm, const std::shared_ptr<Store>& store, const RunPlan& run) {
  auto pipeline = open_run(comm, store, run);
  if (!pipeline.ok()) return pipeline.status();
  for (Index step = run.first_step; step < run.end_step; ++step) {
    StepData data(comm, run, step);
    for (std::size_t f = 0; f < data.input.patches.size(); ++f) {
      const Field& field = run.schema->fields()[f];
      for (const Patch& patch : data.input.patches[f]) {
        if (field.type == SampleType::kFloat64) make_uneven<double>(patch, field.components);
        if (field.type == SampleType::kFloat32) make_uneven<float>(patch, field.components);
      }
    }
    const Status status = (*pipeline)->write_step(std::move(data.input));
    if (!status.ok()) return status;
  }
  return (*pipeline)->close({});
}

/// The files of a run, or its error, which is that of all ranks.
Result<std::shared_ptr<Store>> write_uneven(const RunPlan& run) {
  std::shared_ptr<Store> store = memory_store();
  std::vector<Status> results(static_cast<std::size_t>(run.n_ranks));
  run_ranks(
      run.n_ranks,
      [&](const Communicator& comm) {
        results[static_cast<std::size_t>(comm.rank())] = write_uneven(comm, store, run);
      },
      run.ranks_per_node);
  for (const Status& result : results) EXPECT_EQ(result.message(), results[0].message());
  if (!results[0].ok()) return results[0];
  return store;
}

RunPlan run_of_means(int n_ranks, unsigned seed, const char* levels = "4") {
  RunPlan run;
  run.schema = schema_of_means();
  run.path = "run.zarr";
  run.n_ranks = n_ranks;
  run.seed = seed;
  run.shuffle_puts = true;
  run.options = {{"format", "zarr"}, {"levels", levels}, {"level_values", "mean"}, {"chunks", "8,4,4,2,2"}};
  return run;
}

class MeanLevelsTest : public testing::Test {
 protected:
  void expect_same(const RunPlan& run) {
    SCOPED_TRACE(fmt::format("{} ranks, seed {}, {}", run.n_ranks, run.seed, text_of(run.options)));
    const auto store = write_uneven(run);
    ASSERT_TRUE(store.ok()) << store.status().message();
    expect_same_files(**store, *reference_, "run.zarr");
  }

  std::shared_ptr<Store> reference_ = write_uneven(run_of_means(1, 1)).value();
};

TEST_F(MeanLevelsTest, TheSameBytesOnAnyRanksWithAnyPatches) {
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (unsigned seed = 1; seed <= 12; ++seed) expect_same(run_of_means(n_ranks, seed));
  }
}

TEST_F(MeanLevelsTest, TheSameBytesWithOtherPatchesInEachStep) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    RunPlan run = run_of_means(4, seed);
    run.new_boxes_each_step = true;
    expect_same(run);
  }
}

TEST_F(MeanLevelsTest, TheSameBytesInAllWays) {
  for (const auto& way : ways_to_move()) {
    RunPlan run = run_of_means(4, 5);
    run.options.insert(way.begin(), way.end());
    run.ranks_per_node = 2;
    expect_same(run);
  }
}

TEST_F(MeanLevelsTest, TheSameBytesWhenTuned) {
  RunPlan run = run_of_means(4, 6);
  run.options.insert({{"tune", "auto"}, {"tune_cache", "false"}});
  expect_same(run);
}

TEST_F(MeanLevelsTest, AppendedStepsHaveMeansWithoutTheOption) {
  RunPlan run = run_of_means(4, 7);
  run.end_step = 1;
  std::shared_ptr<Store> store = write_uneven(run).value();
  run.options.erase("level_values");
  run.options.erase("levels");
  run.first_step = 1;
  run.end_step = 3;
  run_ranks(run.n_ranks, [&](const Communicator& comm) { write_uneven(comm, store, run).check(); });
  expect_same_files(*store, *reference_, "run.zarr");
}

TEST_F(MeanLevelsTest, ReadsAreOfSamples) {
  RunPlan run = run_of_means(2, 8);
  EXPECT_TRUE(write_all(memory_store(), run).ok());
  expect_complete(written(run), run, run.end_step);
}

TEST_F(MeanLevelsTest, MoreLevelsThanTheGridHalves) {
  const RunPlan alone = run_of_means(1, 1, "7");
  for (const int n_ranks : {2, 7}) {
    expect_same_files(*write_uneven(run_of_means(n_ranks, 9, "7")).value(), *write_uneven(alone).value(),
                      "run.zarr");
  }
}

TEST_F(MeanLevelsTest, PartialStepsAreRefused) {
  RunPlan run = run_of_means(2, 1);
  run.options["partial"] = "true";
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_NE(status.message().find("level_values=mean"), std::string::npos) << status.message();
  run.options["levels"] = "0";
  EXPECT_TRUE(write_all(memory_store(), run).ok());
}

/// A budget of the number of bytes that the error names is enough.
TEST_F(MeanLevelsTest, MemoryCountsInTheBudget) {
  Schema schema;
  const DimId x = schema.add_dim("x", 200).value(), y = schema.add_dim("y", 101).value();
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  schema.add_field({.name = "a", .grid = plane, .type = SampleType::kFloat64, .attributes = {}})
      .status()
      .check();
  schema.add_field({.name = "b", .grid = plane, .components = 2, .attributes = {}}).status().check();
  for (const int n_ranks : {1, 4}) {
    RunPlan run = run_of_means(n_ranks, 3);
    run.schema = schema;
    run.options["chunks"] = "16,16";
    const Index means = 2 * 200 * 101 / 4 * 8 / n_ranks;
    run.memory_budget = means;
    const Status status = write_uneven(run).status();
    ASSERT_EQ(status.code(), Code::kOutOfMemory) << status.message();
    EXPECT_NE(status.message().find("level_values=mean"), std::string::npos) << status.message();
    std::smatch needed;
    const std::string text = status.message();
    ASSERT_TRUE(std::regex_search(text, needed, std::regex("needs ([0-9]+) bytes"))) << text;
    run.memory_budget = std::stoll(needed[1]);
    EXPECT_GT(run.memory_budget, means);
    EXPECT_TRUE(write_uneven(run).ok()) << write_uneven(run).status().message();
  }
}

}  // namespace
}  // namespace esker
