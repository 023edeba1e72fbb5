// The whole write path on threads for ranks and a store in memory: no MPI, no disk.
#include "write/pipeline.h"

#include <gtest/gtest.h>

#include "read/idx_dataset.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/boxes.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

/// How a run is carried out; nothing of it may change the files.
struct RunPlan {
  int n_ranks = 1;
  int n_steps = 3;
  int aggregators = 0;
  Index memory_budget = Index{64} << 20;
  unsigned seed = 1;  // of decompositions, memory layouts and the order of puts
  bool new_boxes_each_step = false;
};

Options options_of(const RunPlan& run) {
  Options options;
  options.report = "none";
  options.bits_per_block = 8;
  options.blocks_per_file = 4;
  options.aggregators = run.aggregators;
  options.memory_budget_bytes = run.memory_budget;
  return options;
}

/// Writes mixed_schema() to "run" in `store`; the first error of any rank.
Status write_all(const std::shared_ptr<Store>& store, const RunPlan& run) {
  std::vector<Status> results(static_cast<std::size_t>(run.n_ranks));
  const Schema schema = mixed_schema();
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    Status& result = results[static_cast<std::size_t>(comm.rank())];
    auto pipeline = WritePipeline::create(comm.get(), store, "run.idx", options_of(run));
    result = pipeline.status();
    if (result.ok()) result = (*pipeline)->define({}, schema);
    for (Index step = 0; step < run.n_steps && result.ok(); ++step) {
      std::mt19937 random(run.seed + (run.new_boxes_each_step ? static_cast<unsigned>(step) : 0));
      std::vector<PatchMemory> memory;
      memory.reserve(1000);
      StepInput input{{}, step, 10.0 * static_cast<double>(step), {}};
      input.patches.resize(schema.fields().size());
      for (std::size_t f = 0; f < schema.fields().size(); ++f) {
        const Field& field = schema.fields()[f];
        const auto tiling = random_tiling(schema.box_of(schema.grids()[field.grid]),
                                          1 + static_cast<int>(random() % 9), random);
        const auto of_rank = deal(tiling, run.n_ranks, random);
        if (!is_due(field, step)) continue;
        for (const Box& box : of_rank[static_cast<std::size_t>(comm.rank())]) {
          memory.emplace_back(field, static_cast<int>(f), step, box, static_cast<unsigned>(random()));
          input.patches[f].push_back(memory.back().patch());
        }
        random.seed(run.seed + static_cast<unsigned>(f));  // ranks drew different numbers for memory
      }
      result = (*pipeline)->write_step(input);
    }
    if (result.ok()) result = (*pipeline)->close({});
  });
  for (const Status& result : results) {
    EXPECT_EQ(result.code(), results[0].code());
    EXPECT_EQ(result.message(), results[0].message());
  }
  return results[0];
}

std::vector<Point> points_of(const Lattice& selection) {
  std::vector<Point> points;
  Box indices;
  indices.rank = selection.rank;
  for (int a = 0; a < selection.rank; ++a) indices.hi[a] = selection.count[a];
  for_each_point(indices, [&](const Point& i) {
    Point p{};
    for (int a = 0; a < selection.rank; ++a) p[a] = selection.origin[a] + i[a] * selection.stride[a];
    points.push_back(p);
  });
  return points;
}

/// Reads every field, step and level, whole and in a random box, and compares every sample.
void expect_complete(const std::shared_ptr<Store>& store, Index n_steps) {
  const auto dataset = idx::IdxDataset::open(store, "run.idx").value();
  std::mt19937 random(5);
  ASSERT_EQ(static_cast<Index>(dataset.times.size()), n_steps);
  EXPECT_TRUE(dataset.warnings.empty());
  for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
    const Field& field = dataset.schema.fields()[f];
    const auto& place = dataset.places[f];
    const idx::IdxPart& part = *dataset.parts[place.part];
    for (Index step = 0; step < (field.fixed ? 1 : n_steps); ++step) {
      ASSERT_EQ(part.has(place.field, step), is_due(field, step)) << field.name;
      if (!is_due(field, step)) continue;
      for (int level = 0; level <= part.header().bitmask.max_level(); ++level) {
        Box box = part.header().box;
        for (const bool whole : {true, false}) {
          for (int a = 0; a < box.rank && !whole; ++a) {
            box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(box.hi[a]));
            box.hi[a] =
                box.lo[a] + 1 + static_cast<Index>(random() % static_cast<unsigned>(box.hi[a] - box.lo[a]));
          }
          const Lattice selection = part.select(box, level);
          const auto expected = expected_samples(field, static_cast<int>(f), step, points_of(selection));
          std::vector<std::byte> answer(expected.size());
          const Status status = part.read(place.field, step, box, level, answer.data());
          ASSERT_TRUE(status.ok()) << status.message();
          ASSERT_EQ(answer, expected)
              << field.name << " step " << step << " level " << level << " " << box.to_string();
        }
      }
    }
  }
}

TEST(Pipeline, OneRankWritesWhatReadersRead) {
  const auto store = memory_store();
  const Status status = write_all(store, {});
  ASSERT_TRUE(status.ok()) << status.message();
  expect_complete(store, 3);
}

TEST(Pipeline, TheFilesDoNotDependOnRanksAggregatorsBudgetOrBoxes) {
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, {}).ok());
  const auto expected = all_files(*reference, ".");
  ASSERT_GT(expected.size(), 10u);
  std::vector<RunPlan> runs;
  for (const int n_ranks : {1, 2, 3, 4, 5, 7, 16}) {
    for (const int aggregators : {0, 1, n_ranks}) {
      runs.push_back({n_ranks, 3, aggregators, Index{64} << 20,
                      static_cast<unsigned>(n_ranks + 100 * aggregators), false});
      runs.push_back({n_ranks, 3, aggregators, Index{40} << 10, static_cast<unsigned>(n_ranks + 7), true});
    }
  }
  for (const RunPlan& run : runs) {
    const auto store = memory_store();
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    const auto files = all_files(*store, ".");
    ASSERT_EQ(files.size(), expected.size());
    for (const auto& [path, bytes] : expected) {
      ASSERT_TRUE(files.contains(path)) << path;
      ASSERT_TRUE(files.at(path) == bytes) << path << " differs on " << run.n_ranks << " ranks";
    }
    expect_complete(store, 3);
  }
}

TEST(Pipeline, ABudgetTooSmallForOneBlockNamesWhatIsNeeded) {
  RunPlan run;
  run.n_ranks = 3;
  run.memory_budget = 1000;
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_NE(status.message().find("memory_budget"), std::string::npos);
}

}  // namespace
}  // namespace esker
