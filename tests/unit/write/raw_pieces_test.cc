// Blocks that do not shrink: in which steps they are compressed, and that nothing but the data decides that.
#include "write/raw_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "formats/idx/idx_part.h"
#include "support/runs.h"
#include "support/thread_comm.h"
#include "support/tuned_runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

constexpr Index kStepsOfRun = 20;

/// Of uint64, all samples of which are zero in some steps and noise in the others.
struct TestField {
  const char* name;
  bool (*is_noise)(Index step);
};
constexpr TestField kFields[] = {{"noise", [](Index) { return true; }},
                                 {"settles", [](Index step) { return step < 10; }},
                                 {"wakes", [](Index step) { return step >= 5; }},
                                 {"flickers", [](Index step) { return step % 2 == 1; }}};

Schema test_schema() {
  Schema schema;
  const DimId x = schema.add_dim("x", 32).value(), y = schema.add_dim("y", 16).value();
  const int grid = schema.add_grid("xy", {x, y}).value().index;
  for (const TestField& field : kFields) {
    schema.add_field({field.name, grid, SampleType::kUint64, 1, false, 1, {}}).status().check();
  }
  return schema;
}

RunPlan test_run(const std::string& compression = "lz4") {
  RunPlan run;
  run.schema = test_schema();
  run.end_step = kStepsOfRun;
  run.options = {{"compression", compression}, {"bits_per_block", "6"}};
  return run;
}

std::uint64_t noise(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  return seed ^ seed >> 31;
}

/// Replaces the samples of a step.
void fill(StepData& data) {
  for (std::size_t f = 0; f < std::size(kFields); ++f) {
    for (std::size_t p = 0; p < data.input.patches[f].boxes().size(); ++p) {
      const Patch& patch = data.input.patches[f][static_cast<int>(p)];
      auto* base = const_cast<std::byte*>(static_cast<const std::byte*>(patch.data));  // NOLINT: its own
      for_each_point(patch.box, [&](const Point& at) {
        Index offset = 0;
        for (int a = 0; a < patch.box.rank; ++a) offset += (at[a] - patch.box.lo[a]) * patch.stride_bytes[a];
        const auto place = static_cast<std::uint64_t>(at[0] + 1000 * at[1] + 1000000 * data.input.step);
        const std::uint64_t value = kFields[f].is_noise(data.input.step) ? noise(place) : 0;
        std::memcpy(base + offset, &value, sizeof value);
      });
    }
  }
}

/// Steps [first, end) of a run, which may begin again at a step that exists. Returns how many pieces were not
/// tried on all ranks.
double write(const std::shared_ptr<Store>& store, const RunPlan& run) {
  double untried = 0;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = run.first_step; step < run.end_step; ++step) {
      StepData data(comm, run, step);
      fill(data);
      pipeline->write_step(std::move(data.input)).check();
    }
    pipeline->flush().check();
    const RunReport report = pipeline->report().value();
    const auto row = std::ranges::find(report.counters.amounts, "untried_pieces", &Spread::name);
    if (comm.rank() == 0) untried = row->mean * comm.size();
    pipeline->close({}).check();
  });
  return untried;
}

std::shared_ptr<Store> reference(const std::string& compression = "lz4") {
  auto store = memory_store();
  write(store, test_run(compression));
  return store;
}

/// The steps in which all blocks of a field are stored raw. In the others, none is.
std::vector<Index> raw_steps(const std::shared_ptr<Store>& store, int field) {
  const auto part = idx::IdxPart::open(store, "run.idx").value();
  std::vector<Index> steps;
  for (Index step = 0; step < kStepsOfRun; ++step) {
    Index num_raw = 0;
    for (Index n = 0; n < part->blocks().num_existing(); ++n) {
      const auto block = part->files().find(field, part->blocks().nth_existing(n), step).value();
      num_raw += block.codec.kind == CodecKind::kRaw ? 1 : 0;
    }
    if (num_raw > 0) steps.push_back(step);
    EXPECT_TRUE(num_raw == 0 || num_raw == part->blocks().num_existing()) << field << " at step " << step;
  }
  return steps;
}

std::vector<Index> steps_from_to(Index first, Index end) {
  std::vector<Index> steps;
  for (Index step = first; step < end; ++step) steps.push_back(step);
  return steps;
}

TEST(RawPieces, ABlockThatShrinksAgainIsCompressedFromTheNextEighthStepOn) {
  for (const char* compression : {"lz4", "zip"}) {
    const auto store = reference(compression);
    EXPECT_EQ(raw_steps(store, 0), steps_from_to(0, kStepsOfRun));
    EXPECT_EQ(raw_steps(store, 1), steps_from_to(0, 16));  // shrinks from 10 on
    EXPECT_EQ(raw_steps(store, 2), steps_from_to(5, kStepsOfRun));
    EXPECT_EQ(raw_steps(store, 3), (std::vector<Index>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}));
  }
}

TEST(RawPieces, OnlyEveryEighthStepTriesWhatDidNotShrinkInTheLastTwo) {
  const auto store = memory_store();
  const double untried = write(store, test_run());
  const auto blocks = idx::IdxPart::open(store, "run.idx").value()->blocks().num_existing();
  // noise: 2 ... 19 without 8 and 16; settles: 2 ... 15 without 8; wakes: 7 ... 19 without 8 and 16
  EXPECT_EQ(untried, static_cast<double>(blocks * (16 + 13 + 11)));
}

void expect_same(const std::shared_ptr<Store>& store, Store& expected, const std::string& what) {
  SCOPED_TRACE(what);
  expect_same_files(*store, expected, ".", "replay.json");
}

TEST(RawPieces, TheFilesDoNotDependOnRanksOrPlans) {
  const auto expected = reference();
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const bool is_async : {false, true}) {
      for (const bool has_other_plans : {false, true}) {
        RunPlan run = test_run();
        run.n_ranks = n_ranks;
        run.aggregators = n_ranks == 7 ? 3 : 0;
        run.new_boxes_each_step = has_other_plans;
        run.options["async"] = is_async ? "true" : "false";
        if (n_ranks == 4) run.options["blocks_per_file"] = "4";
        const auto store = memory_store();
        const double untried = write(store, run);
        EXPECT_GT(untried, 0);
        expect_same(store, *expected,
                    fmt::format("{} ranks, async {}, {}", n_ranks, is_async, has_other_plans));
      }
    }
  }
}

TEST(RawPieces, TheFilesDoNotDependOnTuning) {
  for (const int n_ranks : {1, 4}) {
    TuningFacts facts = facts_with(n_ranks);
    facts.compresses = true;
    RunPlan run = test_run();
    run.n_ranks = n_ranks;
    run.options["tune"] = "replay:replay.json";
    const auto store = memory_store();
    store_text(*store, "replay.json", report_with(every_setting(facts)));
    write(store, run);
    expect_same(store, *reference(), fmt::format("{} ranks", n_ranks));
  }
}

TEST(RawPieces, RanksThatTakeTurnsInAFileSkipTheSamePieces) {
  RunPlan run = test_run();
  run.options["blocks_per_file"] = "100000";
  const auto expected = memory_store();
  write(expected, run);
  for (const int n_ranks : {2, 4, 7}) {
    run.n_ranks = run.aggregators = n_ranks;
    run.new_boxes_each_step = n_ranks == 4;
    run.options["collective_buffer"] = "4K";
    const auto store = memory_store();
    write(store, run);
    expect_same(store, *expected, fmt::format("{} ranks", n_ranks));
  }
}

TEST(RawPieces, InterruptedRunsEndInTheBytesOfOneRun) {
  const auto expected = reference();
  for (const Index interrupted : {1, 2, 3, 8, 9, 11, 16}) {
    const auto store = memory_store();
    RunPlan run = test_run();
    run.n_ranks = 3;
    run.end_step = interrupted;
    write(store, run);
    run.first_step = interrupted;
    run.end_step = kStepsOfRun;
    run.n_ranks = run.aggregators = 2;
    write(store, run);
    expect_same(store, *expected, fmt::format("interrupted before step {}", interrupted));
  }
}

// The plan has seen steps that exist no more.
TEST(RawPieces, StepsThatAreWrittenAgainHaveTheSameBytes) {
  const auto expected = reference();
  const auto store = memory_store();
  RunPlan run = test_run();
  run.n_ranks = 2;
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    const auto write_steps = [&](Index first, Index end) {
      for (Index step = first; step < end; ++step) {
        StepData data(comm, run, step);
        fill(data);
        pipeline->write_step(std::move(data.input)).check();
      }
    };
    write_steps(0, 6);
    for (const Index kept : {4, 3, 12, 9}) {
      write_steps(std::ssize(pipeline->times()), kept + 2);
      pipeline->rewind({}, time_of(kept - 1)).check();
    }
    write_steps(9, kStepsOfRun);
    pipeline->close({}).check();
  });
  expect_same(store, *expected, "rewound");
}

TEST(RawPieces, BlocksOfUnreadableTablesAreTried) {
  const auto store = memory_store();
  RunPlan run = test_run();
  run.end_step = 4;
  write(store, run);
  for (const auto& [path, bytes] : all_files(*store, "run/time_0003")) {
    store->open(path, OpenMode::kWrite).value()->shrink_to(10).check();
  }
  run.first_step = 4;
  run.end_step = 5;
  EXPECT_EQ(write(store, run), 0);
}

}  // namespace
}  // namespace esker
