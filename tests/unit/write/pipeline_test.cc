// The whole write path on threads as ranks and a store in memory, without MPI or a disk.
#include "write/pipeline.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <mutex>
#include <set>

#include "formats/idx/idx_dataset.h"
#include "model/field_facts.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/boxes.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

TEST(Pipeline, ReadersReadTheFilesOfOneRank) {
  for (const bool single : {false, true}) {
    const auto store = memory_store();
    RunPlan run;
    run.single = single;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    expect_complete(store, run, 3);
  }
}

TEST(Pipeline, TheFilesDoNotDependOnRanksAggregatorsBudgetBoxesOrOrderOfPuts) {
  for (const InBlockOrder in_block : {InBlockOrder::kRowMajor, InBlockOrder::kHz}) {
    RunPlan serial;
    serial.in_block = in_block;
    const auto reference = memory_store();
    ASSERT_TRUE(write_all(reference, serial).ok());
    ASSERT_GT(all_files(*reference, ".").size(), 10u);
    expect_complete(reference, serial, 3);
    for (const int n_ranks : {1, 2, 3, 4, 5, 7, 16}) {
      for (const int aggregators : {0, 1, n_ranks}) {
        RunPlan run = serial;
        run.n_ranks = n_ranks;
        run.aggregators = aggregators;
        run.seed = static_cast<unsigned>(n_ranks + 100 * aggregators);
        run.shuffle_puts = aggregators == 0;
        run.new_boxes_each_step = aggregators == 1;
        if (aggregators > 0) run.memory_budget = Index{160} << 10;
        const auto store = memory_store();
        const Status status = write_all(store, run);
        ASSERT_TRUE(status.ok()) << status.message();
        expect_same_files(*store, *reference, ".");
      }
    }
  }
}

TEST(Pipeline, OnePhaseWritesTheFilesOfTwo) {
  for (const InBlockOrder in_block : {InBlockOrder::kRowMajor, InBlockOrder::kHz}) {
    RunPlan two;
    two.in_block = in_block;
    two.checksums = false;
    const auto reference = memory_store();
    ASSERT_TRUE(write_all(reference, two).ok());
    for (const int n_ranks : {1, 2, 4, 7, 16}) {
      RunPlan one = two;
      one.aggregate = false;
      one.n_ranks = n_ranks;
      one.seed = static_cast<unsigned>(n_ranks);
      one.shuffle_puts = true;
      one.new_boxes_each_step = n_ranks == 4;
      if (n_ranks == 7) one.memory_budget = Index{40} << 10;
      const auto store = memory_store();
      const Status status = write_all(store, one);
      ASSERT_TRUE(status.ok()) << status.message();
      expect_complete(store, one, 3);
      expect_same_files(*store, *reference, ".");
    }
  }
}

TEST(Pipeline, OnePhaseRefusesChecksumsAndNamesTheBudgetItNeeds) {
  RunPlan run{.n_ranks = 3, .aggregate = false};
  const Status refused = write_all(memory_store(), run);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_NE(refused.message().find("checksums=false"), std::string::npos) << refused.message();
  run.checksums = false;
  run.memory_budget = 100;
  EXPECT_EQ(write_all(memory_store(), run).code(), Code::kOutOfMemory);
}

TEST(Pipeline, AFaultInOnePhaseIsAgreedAndLeavesNothing) {
  for (const int failing_rank : {0, 1, 3}) {
    const auto inner = memory_store();
    RunPlan run{.n_ranks = 4, .end_step = 1, .checksums = false, .aggregate = false};
    const Status failed = write_all(
        [&](int rank) {
          return faulty_store(inner, [=](StoreCall call, const std::string& path) {
            const bool is_block = path.find(".bin") != std::string::npos;
            return rank == failing_rank && call == StoreCall::kWrite && is_block ? EDQUOT : 0;
          });
        },
        run);
    EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
    EXPECT_NE(failed.message().find("rank " + std::to_string(failing_rank)), std::string::npos);
    for (const auto& [path, bytes] : all_files(*inner, ".")) {
      EXPECT_EQ(path.find(".bin"), std::string::npos) << path;
    }
  }
}

TEST(Pipeline, TheNullStoreKeepsEverythingExceptSamples) {
  const auto store = null_store();
  const RunPlan run{.n_ranks = 3};
  const Status status = write_all(store, run);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(idx::IdxDataset::open(store, run.path).value().times.size(), 3u);
}

TEST(Pipeline, ABudgetTooSmallForOneBlockIsAnErrorThatNamesTheNeededBytes) {
  RunPlan run;
  run.n_ranks = 3;
  run.end_step = 1;  // other steps hold other fields, and may need more
  run.memory_budget = 1000;
  const Status status = write_all(memory_store(), run);
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  const std::string before = "at a time needs ";
  const std::size_t number = status.message().find(before);
  ASSERT_NE(number, std::string::npos) << status.message();
  run.memory_budget = std::stoll(status.message().substr(number + before.size()));
  const Status enough = write_all(memory_store(), run);
  EXPECT_TRUE(enough.ok()) << enough.message();
}

TEST(Pipeline, OneRankWithAllSamplesStaysWithinTheBudget) {
  Schema schema;
  const DimId x = schema.add_dim("x", 512).value();
  const DimId y = schema.add_dim("y", 512).value();
  const GridId grid = schema.add_grid("xy", {x, y}).value();
  schema.add_field({"a", grid.index, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  const std::vector<double> samples(512 * 512, 1.5);
  const auto store = memory_store();
  run_ranks(8, [&](const Communicator& comm) {
    Options options;
    options.report = "none";
    options.bits_per_block = 8;
    options.aggregators = 8;
    options.memory_budget_bytes = 250000;  // the rank's data are 2 MiB
    auto pipeline = WritePipeline::create(comm.get(), store, "run.idx", options).value();
    pipeline->define({}, schema).check();
    StepInput input{{}, 0, 0, {{}}};
    const Box box = schema.box_of(schema.grids()[0]);
    if (comm.rank() == 0) input.patches[0].push_back(Patch::dense(box, samples.data()));
    const Status status = pipeline->write_step(std::move(input));
    EXPECT_TRUE(status.ok()) << status.message();
    const RunReport report = pipeline->report().value();
    for (const Spread& amount : report.counters.amounts) {
      if (amount.name == "peak_buffer_bytes") {
        EXPECT_LE(amount.max, 250000);
      }
    }
  });
}

/// A store that fails on one rank once `armed`, at calls of one kind on paths with `part` in them.
struct Fault {
  StoreCall call;
  const char* part;
  Fsync fsync;
};

// Any failure, anywhere: the same error on all ranks, which names rank and file; the old steps are intact; no
// leftovers; and the next step succeeds once the cause is removed.
TEST(Pipeline, AFaultInOneStepIsAgreedAndTheNextStepSucceeds) {
  const std::vector<Fault> faults{
      {StoreCall::kOpen, ".bin", Fsync::kNone},          {StoreCall::kWrite, ".bin", Fsync::kNone},
      {StoreCall::kClose, ".bin", Fsync::kNone},         {StoreCall::kSync, ".bin", Fsync::kStep},
      {StoreCall::kSyncDirectory, "", Fsync::kStep},     {StoreCall::kWrite, ".idx.tmp", Fsync::kNone},
      {StoreCall::kRename, "run/xyz.idx", Fsync::kNone}, {StoreCall::kRename, "run/xy.idx", Fsync::kNone},
      {StoreCall::kRename, "esker.json", Fsync::kNone},  {StoreCall::kSync, "esker.json.tmp", Fsync::kStep},
  };
  const Schema schema = mixed_schema();
  for (const Fault& fault : faults) {
    for (const int failing_rank : {0, 1, 3, -1}) {  // -1: all
      const bool metadata = std::string(fault.part).find(".bin") == std::string::npos;
      if (metadata && failing_rank != 0) continue;  // rank 0 alone commits
      const auto inner = memory_store();
      std::vector<std::string> messages(4);
      run_ranks(4, [&](const Communicator& comm) {
        const int me = comm.rank();
        bool armed = false;
        const bool fails_here = failing_rank < 0 || failing_rank == me;
        const auto store = faulty_store(inner, [&](StoreCall call, const std::string& path) {
          return armed && fails_here && call == fault.call && path.find(fault.part) != std::string::npos
                     ? EDQUOT
                     : 0;
        });
        Options options;
        options.report = "none";
        options.bits_per_block = 6;
        options.blocks_per_file = 4;
        options.aggregators = 4;
        options.fsync = fault.fsync;
        auto pipeline = WritePipeline::create(comm.get(), store, "run.idx", options).value();
        pipeline->define({}, schema).check();
        const auto step = [&](Index number) {
          std::vector<PatchMemory> memory;
          memory.reserve(10);
          StepInput input{{}, number, static_cast<double>(number), {}};
          input.patches.resize(schema.fields().size());
          for (std::size_t f = 0; f < schema.fields().size() && me == 2; ++f) {  // one rank holds all
            const Field& field = schema.fields()[f];
            if (!is_due(field, number)) continue;
            memory.emplace_back(field, static_cast<int>(f), number, schema.box_of(schema.grids()[field.grid]),
                                2u);
            input.patches[f].push_back(memory.back().patch());
          }
          return pipeline->write_step(std::move(input));
        };
        EXPECT_TRUE(step(0).ok());
        armed = true;
        const Status failed = step(1);
        armed = false;
        EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
        messages[static_cast<std::size_t>(me)] = failed.message();
        const Status again = step(1);
        EXPECT_TRUE(again.ok()) << again.message();
        EXPECT_TRUE(pipeline->close({}).ok());
      });
      const std::string rank = "rank " + std::to_string(std::max(0, failing_rank));
      for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
      EXPECT_NE(messages[0].find(rank), std::string::npos) << messages[0];
      EXPECT_NE(messages[0].find("quota"), std::string::npos) << messages[0];
      expect_complete(inner, {}, 2);
      for (const auto& [path, bytes] : all_files(*inner, ".")) EXPECT_FALSE(path.ends_with(".tmp")) << path;
    }
  }
}

// Every file of the dataset, and every directory from the files up to the one that holds it, reaches the
// device.
class PipelineSync : public testing::TestWithParam<bool> {};

TEST_P(PipelineSync, AtCloseReachesEveryFileAndDirectory) {
  const bool aggregate = GetParam();
  const auto inner = memory_store();
  std::mutex mutex;
  std::set<std::string> synced, directories;
  std::set<std::pair<int, std::string>> written_by, synced_by;  // rank and block file
  const Schema schema = mixed_schema();
  run_ranks(3, [&](const Communicator& comm) {
    const auto store = faulty_store(inner, [&](StoreCall call, const std::string& path) {
      const std::scoped_lock lock(mutex);
      if (call == StoreCall::kSync) synced.insert(path);
      if (call == StoreCall::kSync) synced_by.emplace(comm.rank(), path);
      if (call == StoreCall::kWrite && path.ends_with(".bin")) written_by.emplace(comm.rank(), path);
      if (call == StoreCall::kSyncDirectory) directories.insert(path);
      return 0;
    });
    Options options;
    options.report = "none";
    options.bits_per_block = 6;
    options.blocks_per_file = 4;
    options.aggregators = 3;
    options.aggregate = aggregate;
    options.checksums = aggregate;
    options.fsync = Fsync::kClose;
    auto pipeline = WritePipeline::create(comm.get(), store, "out/run.idx", options).value();
    pipeline->define({}, schema).check();
    std::vector<PatchMemory> memory;
    memory.reserve(10);
    StepInput input{{}, 0, 0, {}};
    input.patches.resize(schema.fields().size());
    for (std::size_t f = 0; f < schema.fields().size() && comm.rank() == 0; ++f) {
      const Field& field = schema.fields()[f];
      memory.emplace_back(field, static_cast<int>(f), 0, schema.box_of(schema.grids()[field.grid]), 0u);
      input.patches[f].push_back(memory.back().patch());
    }
    EXPECT_TRUE(pipeline->write_step(std::move(input)).ok());
    comm.get()->barrier();
    for (const std::string& path : synced) EXPECT_FALSE(path.ends_with(".bin")) << path;
    comm.get()->barrier();
    const Status closed = pipeline->close({});
    EXPECT_TRUE(closed.ok()) << closed.message();
  });
  const auto files = all_files(*inner, "out");
  ASSERT_GT(files.size(), 10u);
  for (const auto& [path, bytes] : files) EXPECT_TRUE(synced.contains(path)) << path;
  for (const auto& [rank, path] : written_by) {
    EXPECT_TRUE(synced_by.contains({rank, path})) << path << " by rank " << rank;
  }
  for (const char* directory :
       {"out", "out/run", "out/run/xyz", "out/run/xyz/time_0000", "out/run/xy_fixed"}) {
    EXPECT_TRUE(directories.contains(directory)) << directory;
  }
}

INSTANTIATE_TEST_SUITE_P(Phases, PipelineSync, testing::Bool(),
                         [](const auto& test) { return test.param ? "Two" : "One"; });

}  // namespace
}  // namespace esker
