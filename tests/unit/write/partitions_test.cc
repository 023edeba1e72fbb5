// Steps in partitions: on threads as ranks, and a store in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

std::shared_ptr<Store> undivided(RunPlan run) {
  run.n_ranks = 1;
  run.aggregators = 0;
  run.memory_budget = RunPlan().memory_budget;
  std::shared_ptr<Store> store = memory_store();
  const Status status = write_all(store, run);
  EXPECT_TRUE(status.ok()) << status.message();
  return store;
}

void expect_like(const std::shared_ptr<Store>& reference, RunPlan run, const std::string& partitions) {
  run.options["partitions"] = partitions;
  SCOPED_TRACE(name_of(run) + " " + text_of(run.options) + " aggregators " + std::to_string(run.aggregators));
  const auto store = memory_store();
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  expect_same_files(*store, *reference, ".");
}

/// Runs of several grids and kinds of data; some ranks hold no boxes.
RunPlan run_of(const std::string& kind) {
  RunPlan run;
  run.shuffle_puts = true;
  if (kind == "Compressed") run.options["compression"] = "zip";
  if (kind == "LargeFiles") run.options["blocks_per_file"] = "1000";
  if (kind == "Sparse") {
    run.single = true;
    run.keep = keep_some_blocks;
  }
  return run;
}

class Partitions : public testing::TestWithParam<const char*> {};

TEST_P(Partitions, TheFilesDoNotDependOnThem) {
  RunPlan run = run_of(GetParam());
  const auto reference = undivided(run);
  for (const int n_ranks : {1, 2, 3, 4, 7, 16}) {
    for (const int partitions : {1, 2, 3, 4, 5, 6, 7, 8, 16}) {
      if (partitions > n_ranks) continue;
      for (const int per_node : {0, 1, 3}) {
        place(run, n_ranks, per_node, partitions);
        run.new_boxes_each_step = partitions == 2;
        run.max_fan_in = partitions % 2 == 0 ? 2 : 0;
        expect_like(reference, run, std::to_string(partitions));
      }
    }
  }
}

TEST_P(Partitions, TheFilesDoNotDependOnTheTransport) {
  RunPlan run = run_of(GetParam());
  const auto reference = undivided(run);
  run.n_ranks = 6;
  for (const auto& way : ways_to_move()) {
    for (const int per_node : {0, 2}) {
      RunPlan other = run;
      other.ranks_per_node = per_node;
      other.options.insert(way.begin(), way.end());
      expect_like(reference, other, "size:2");
      expect_like(reference, other, "nodes:1");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Partitions, testing::Values("Raw", "Compressed", "LargeFiles", "Sparse"),
                         [](const auto& test) { return std::string(test.param); });

Schema volume_schema(const Point& extent) {
  Schema schema;
  std::vector<DimId> dims;
  for (int a = 0; a < 3; ++a) {
    dims.push_back(schema.add_dim(std::string(1, static_cast<char>('x' + a)), extent[a]).value());
  }
  const GridId grid = schema.add_grid("volume", dims).value();
  schema.add_field({"thk", grid.index, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  return schema;
}

// The ice sheet of Greenland: none of its extents is a power of two.
TEST(PartitionsOfAVolume, AreThoseOfTheUndividedWrite) {
  RunPlan run;
  run.schema = volume_schema({301, 561, 61});
  run.options = {{"bits_per_block", "0"}, {"blocks_per_file", "0"}};
  run.end_step = 1;
  const auto reference = undivided(run);
  for (const int partitions : {3, 8, 16}) {
    run.n_ranks = 16;
    run.ranks_per_node = partitions == 8 ? 0 : 4;
    expect_like(reference, run, std::to_string(partitions));
  }
}

/// Writes a step of 4 x 4 x 2 cubes, one on each of 32 ranks, except those without a box.
StepReport write_cubes(const std::string& partitions, int n_idle, int per_node) {
  constexpr Index kCube = 8;
  const Schema schema = volume_schema({4 * kCube, 4 * kCube, 2 * kCube});
  const std::vector<float> samples(kCube * kCube * kCube, 1.5F);
  std::mutex mutex;
  StepReport report;
  const auto write = [&](const Communicator& comm) {
    Options options;
    options.report = "none";
    options.bits_per_block = 6;
    options.aggregators = 8;
    options.set("partitions", partitions).check();
    auto pipeline = WritePipeline::create(comm.get(), memory_store(), "run.idx", options).value();
    pipeline->define({}, schema).check();
    StepInput input{{}, 0, 0, {{}}};
    const int n_holders = 32 - n_idle;
    for (int cube = comm.rank(); cube < 32 && comm.rank() < n_holders; cube += n_holders) {
      const Point lo{cube % 4 * kCube, cube / 4 % 4 * kCube, cube / 16 * kCube};
      Box box{3, lo, {}};
      for (int a = 0; a < 3; ++a) box.hi[a] = lo[a] + kCube;
      input.patches[0].push_back(Patch::dense(box, samples.data()));
    }
    pipeline->write_step(std::move(input)).check();
    const StepReport found = pipeline->report().value().steps.front();  // collective
    const std::scoped_lock lock(mutex);
    report = found;
  };
  run_ranks(32, write, per_node);
  return report;
}

TEST(PartitionsOfAVolume, CountWhatCrossesTheirBorders) {
  for (const int per_node : {0, 1}) {
    const StepReport aligned = write_cubes("4", 0, per_node);
    EXPECT_EQ(aligned.partitions, 4);
    EXPECT_EQ(aligned.crossing_messages, 0) << per_node;
    EXPECT_EQ(aligned.crossing_bytes, 0) << per_node;
    EXPECT_GT(aligned.coarse_messages, 0);
    EXPECT_GT(aligned.coarse_bytes, 0);
    const StepReport idle = write_cubes("size:8", 20, per_node);
    EXPECT_EQ(idle.partitions, 4);
    EXPECT_GT(idle.crossing_bytes, 0) << per_node;
    EXPECT_EQ(write_cubes("0", 0, per_node).partitions, 0);
  }
}

std::string error_of(RunPlan run, const std::string& partitions) {
  run.n_ranks = 4;
  run.ranks_per_node = 2;
  run.options["partitions"] = partitions;
  return write_all(memory_store(), run).message();
}

TEST(PartitionErrors, SayWhatToDo) {
  const auto expect = [](const std::string& found, const std::string& part) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect(error_of({}, "5"), "partitions=5: there are only 4 ranks");
  EXPECT_EQ(error_of({}, "size:9"), "");
  EXPECT_EQ(error_of({}, "nodes:2"), "");
  RunPlan run;
  run.aggregate = false;
  run.checksums = false;
  expect(error_of(run, "2"), "partitions=2 and aggregate=false");
  run = {};
  run.aggregators = 1;
  expect(error_of(run, "2"), "set aggregators to at least 2");
  run = {};
  run.options["format"] = "cdf5";
  run.path = "run.nc";
  expect(error_of(run, "2"), "only blocks of IDX have partitions; set format=idx or partitions=0");
}

}  // namespace
}  // namespace esker
