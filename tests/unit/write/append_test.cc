// Continuing a dataset: appended and rewound runs end with the bytes of one uninterrupted run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "formats/idx/idx_dataset.h"
#include "store/commit.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

/// Four steps in one run of one rank.
std::shared_ptr<Store> reference_of(RunPlan run) {
  run.n_ranks = 1;
  run.first_step = 0;
  run.end_step = 4;
  auto store = memory_store();
  EXPECT_TRUE(write_all(store, run).ok());
  return store;
}

RunPlan plan(int n_ranks, Index first_step, Index end_step, bool single) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.first_step = first_step;
  run.end_step = end_step;
  run.single = single;
  run.seed = static_cast<unsigned>(n_ranks + 10 * first_step);
  return run;
}

class Append : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] bool single() const { return GetParam(); }
};

TEST_P(Append, SeveralRunsGiveTheFilesOfOneRun) {
  const auto reference = reference_of(plan(1, 0, 4, single()));
  for (const int n_ranks : {1, 3, 4}) {
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, plan(n_ranks, 0, 1, single())).ok());
    for (Index step = 1; step < 4; ++step) {
      const Status status = write_all(store, plan(5 - n_ranks, step, step + 1, single()));
      ASSERT_TRUE(status.ok()) << status.message();
      expect_complete(store, plan(1, 0, 4, single()), step + 1);
    }
    expect_same_files(*store, *reference, ".");
  }
}

TEST_P(Append, AfterARewindTheFilesAreThoseOfOneRun) {
  const auto reference = reference_of(plan(1, 0, 4, single()));
  for (const Index kept : {Index{1}, Index{2}, Index{3}}) {
    const auto store = memory_store();
    RunPlan first = plan(3, 0, 4, single());
    ASSERT_TRUE(write_all(store, first).ok());
    const Status status = write_all(store, plan(2, kept, 4, single()));
    ASSERT_TRUE(status.ok()) << status.message();
    expect_same_files(*store, *reference, ".");
  }
}

TEST_P(Append, ARewindBeforeTheFirstStepLeavesAnEmptyDatasetThatCanBeWrittenAgain) {
  const auto reference = reference_of(plan(1, 0, 4, single()));
  const auto store = memory_store();
  const RunPlan run = plan(3, 0, 4, single());
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (const bool again : {false, true}) {
      for (Index step = 0; step < 4; ++step) write_step(*pipeline, comm, run, step).check();
      if (again) break;
      const Status status = pipeline->rewind({}, -1);
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(pipeline->times().empty());
      comm.get()->barrier();
      if (comm.rank() == 0) expect_complete(store, run, 0);
      comm.get()->barrier();
    }
    EXPECT_TRUE(pipeline->close({}).ok());
  });
  expect_same_files(*store, *reference, ".");
}

TEST_P(Append, ADatasetWithoutStepsCanBeContinued) {
  const auto reference = reference_of(plan(1, 0, 4, single()));
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, plan(2, 0, 0, single())).ok());
  run_ranks(2, [&](const Communicator& comm) {
    const RunPlan run = plan(2, 0, 4, single());
    auto pipeline = WritePipeline::append(comm.get(), store, run.path, options_of(run)).value();
    for (Index step = 0; step < 4; ++step) write_step(*pipeline, comm, run, step).check();
    EXPECT_TRUE(pipeline->close({}).ok());
  });
  expect_same_files(*store, *reference, ".");
}

// Options of the appending run do not change the format of the dataset.
TEST_P(Append, KeepsBlockSizesOrderAndAlignmentOfTheDataset) {
  RunPlan made = plan(1, 0, 4, single());
  made.in_block = InBlockOrder::kHz;
  const auto reference = reference_of(made);
  const auto store = memory_store();
  made.end_step = 2;
  ASSERT_TRUE(write_all(store, made).ok());
  run_ranks(3, [&](const Communicator& comm) {
    const RunPlan run = plan(3, 2, 4, single());
    Options options = options_of(run);
    options.bits_per_block = 4;
    options.blocks_per_file = 100;
    options.alignment_bytes = 64;
    options.checksums = false;
    options.split = false;
    auto pipeline = WritePipeline::append(comm.get(), store, run.path, options).value();
    for (Index step = 2; step < 4; ++step) write_step(*pipeline, comm, run, step).check();
    EXPECT_TRUE(pipeline->close({}).ok());
  });
  expect_same_files(*store, *reference, ".");
}

// Block sizes and mask are chosen together; with the block size of the dataset another mask could be chosen.
TEST(AppendMask, IsThatOfTheDataset) {
  int num_in_turn = 0;
  for (const Point& extent : {Point{301, 561, 11}, Point{100, 30, 200}, Point{60, 120, 30}, Point{33, 70, 17},
                              Point{76, 141, 20}, Point{320, 38, 60}}) {
    Schema schema;
    std::vector<DimId> dims;
    for (int a = 0; a < 3; ++a) {
      dims.push_back(schema.add_dim(std::string(1, static_cast<char>('x' + a)), extent[a]).value());
    }
    const int grid = schema.add_grid("xyz", dims).value().index;
    schema.add_field({"f", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
    const PatchMemory memory(schema.fields()[0], 0, 0, Box::from_extent(3, extent), 0u);
    const auto store = memory_store();
    run_ranks(1, [&](const Communicator& comm) {
      for (Index step = 0; step < 2; ++step) {
        auto pipeline = (step == 0 ? WritePipeline::create(comm.get(), store, "run.idx", Options())
                                   : WritePipeline::append(comm.get(), store, "run.idx", Options()))
                            .value();
        if (step == 0) pipeline->define({}, schema).check();
        const Status status =
            pipeline->write_step({Status(), step, static_cast<double>(step), {{memory.patch()}}});
        EXPECT_TRUE(status.ok()) << status.message();
        EXPECT_TRUE(pipeline->close({}).ok());
      }
    });
    const auto dataset = idx::IdxDataset::open(store, "run.idx");
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    EXPECT_EQ(dataset->times.size(), 2u);
    const std::string in_turn = Bitmask::for_extent(3, extent).value().to_string();
    num_in_turn += dataset->infos.front().bitmask == in_turn ? 1 : 0;
  }
  EXPECT_GT(num_in_turn, 0);
  EXPECT_LT(num_in_turn, 6);
}

TEST_P(Append, AFailedRewindIsAnErrorOnAllRanksAndTheDatasetStillOpens) {
  const RunPlan run = plan(3, 0, 4, single());
  const auto store = memory_store();
  ASSERT_TRUE(write_all(store, run).ok());
  for (const StoreCall failing : {StoreCall::kRename, StoreCall::kRemove, StoreCall::kRead}) {
    run_ranks(3, [&](const Communicator& comm) {
      bool armed = false;
      const auto faulty = faulty_store(store, [&](StoreCall call, const std::string&) {
        return armed && comm.rank() == 0 && call == failing ? EIO : 0;
      });
      auto pipeline = WritePipeline::append(comm.get(), faulty, run.path, options_of(run)).value();
      armed = true;
      const Status status = pipeline->rewind({}, time_of(1));
      armed = false;
      EXPECT_EQ(status.code(), Code::kIoError) << status.message();
      EXPECT_TRUE(pipeline->close({}).ok());
    });
    const auto dataset = idx::IdxDataset::open(store, run.path);
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    expect_complete(store, run, static_cast<Index>(dataset->times.size()));
    ASSERT_TRUE(write_all(store, plan(2, 2, 4, single())).ok());  // and can be repaired by the next run
    expect_complete(store, run, 4);
  }
}

// The catalog still lists the steps to remove. Their files are not overwritten before the steps are rewound.
TEST_P(Append, AStepAfterAFailedRewindRepeatsTheRewind) {
  const RunPlan run = plan(1, 0, 4, single());
  for (const StoreCall failing : {StoreCall::kRead, StoreCall::kRename}) {
    const auto store = memory_store();
    ASSERT_TRUE(write_all(store, run).ok());
    bool armed = false, wrote = false;
    std::size_t listed_at_write = 0;
    const auto faulty = faulty_store(store, [&](StoreCall call, const std::string& path) {
      if (call == StoreCall::kWrite && path.ends_with(".bin") && !std::exchange(wrote, true)) {
        listed_at_write = idx::IdxDataset::open(store, run.path).value().times.size();
      }
      return armed && call == failing ? EIO : 0;
    });
    const auto comm = Communicator::serial();
    auto pipeline = WritePipeline::append(comm.get(), faulty, run.path, options_of(run)).value();
    armed = true;
    EXPECT_EQ(pipeline->rewind({}, time_of(1)).code(), Code::kIoError);
    armed = false;
    EXPECT_TRUE(write_step(*pipeline, comm, run, 2).ok());
    EXPECT_EQ(listed_at_write, 2u);
    EXPECT_TRUE(pipeline->close({}).ok());
    expect_complete(store, run, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Append, testing::Bool(),
                         [](const auto& test) { return test.param ? "OneGrid" : "SeveralGrids"; });

/// The error of appending to a dataset of two steps after `damage`.
Status append_after(bool single, const std::function<void(Store&)>& damage) {
  const auto store = memory_store();
  EXPECT_TRUE(write_all(store, plan(2, 0, 2, single)).ok());
  damage(*store);
  return write_all(store, plan(2, 2, 3, single));
}

void change_text(Store& store, const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_text(store, path, 1 << 20).value();
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
  replace_file(store, path, text, false).check();
}

TEST(AppendErrors, NameMissingDamagedAndForeignFiles) {
  EXPECT_EQ(write_all(memory_store(), plan(2, 1, 2, true)).code(), Code::kNotFound);
  EXPECT_EQ(append_after(true, [](Store& s) { s.remove("run.schema.json").check(); }).code(),
            Code::kDataLoss);
  EXPECT_EQ(append_after(false, [](Store& s) { s.remove("run/xy.idx").check(); }).code(), Code::kDataLoss);
  EXPECT_EQ(append_after(false, [](Store& s) { change_text(s, "run/esker.json", "10.0", "oops"); }).code(),
            Code::kDataLoss);
  EXPECT_EQ(append_after(false, [](Store& s) { change_text(s, "run/esker.json", "10.0", "11.0"); }).code(),
            Code::kDataLoss);
  EXPECT_EQ(append_after(true, [](Store& s) { change_text(s, "run.idx", "(esker)", "(other)"); }).code(),
            Code::kUnsupported);
  EXPECT_EQ(append_after(true, [](Store& s) { change_text(s, "run.idx", "V", "V0"); }).code(),
            Code::kDataLoss);
  const auto with_another_mask = [](Store& s) {
    const std::string text = read_text(s, "run.idx", 1 << 20).value();
    change_text(s, "run.idx",
                text.substr(text.find(",\"sum\""), std::string(R"(,"sum":"0123456789abcdef")").size()), "");
    change_text(s, "run.idx", "\"format\":2", "\"format\":1");  // an edit on purpose
    change_text(s, "run.idx", "V", "V0");
  };
  EXPECT_EQ(append_after(true, with_another_mask).code(), Code::kUnsupported);
  EXPECT_EQ(append_after(true, [](Store& s) { change_text(s, "run.idx", "0 1 time", "0 2 time"); }).code(),
            Code::kDataLoss);
  EXPECT_EQ(
      append_after(true, [](Store& s) { change_text(s, "run.schema.json", "float64", "float32"); }).code(),
      Code::kUnsupported);
  // A catalog without its steps is damaged; the steps must not be removed.
  EXPECT_EQ(
      append_after(false, [](Store& s) { change_text(s, "run/esker.json", "0.0,\n  10.0", ""); }).code(),
      Code::kDataLoss);
  const Status locked = append_after(
      true, [](Store& s) { s.create_exclusive("run.esker-lock", "elsewhere 12 job\n").check(); });
  EXPECT_EQ(locked.code(), Code::kAlreadyExists);
  EXPECT_NE(locked.message().find("elsewhere"), std::string::npos) << locked.message();
}

TEST(AppendErrors, ACommitOverAFileThatAnotherProgramChangedIsRefused) {
  for (const char* path : {"run/xyz.idx", "run/esker.json"}) {
    const auto store = memory_store();
    const RunPlan run = plan(1, 0, 3, false);
    auto comm = Communicator::serial();
    auto pipeline = open_run(comm, store, run).value();
    write_step(*pipeline, comm, run, 0).check();
    change_text(*store, path, "0.0", "0.00");
    const Status status = write_step(*pipeline, comm, run, 1);
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
  }
}

// The lock was removed by hand, and two writers are active: the later one neither writes nor removes files.
TEST(TwoWriters, TheLaterOneKeepsTheStepsOfTheOther) {
  const auto store = memory_store();
  const RunPlan run = plan(2, 0, 4, false);
  run_ranks(2, [&](const Communicator& comm) {
    auto first = open_run(comm, store, run).value();
    for (Index step = 0; step < 2; ++step) write_step(*first, comm, run, step).check();
    if (comm.rank() == 0) store->remove("run.esker-lock").check();
    comm.get()->barrier();
    auto second = WritePipeline::append(comm.get(), store, run.path, options_of(run)).value();
    for (Index step = 2; step < 4; ++step) write_step(*second, comm, run, step).check();
    comm.get()->barrier();
    const auto files = comm.rank() == 0 ? all_files(*store, ".") : std::map<std::string, std::string>();
    comm.get()->barrier();
    const Status late = write_step(*first, comm, run, 2);
    EXPECT_EQ(late.code(), Code::kDataLoss);
    EXPECT_NE(late.message().find("run.esker-lock"), std::string::npos) << late.message();
    EXPECT_EQ(first->rewind({}, -1).code(), Code::kDataLoss);
    (void)first->close({});
    comm.get()->barrier();
    if (comm.rank() == 0) {
      EXPECT_TRUE(all_files(*store, ".") == files);  // the lock of the other, too
    }
    comm.get()->barrier();
    EXPECT_TRUE(second->close({}).ok());
  });
  expect_complete(store, run, 4);
}

TEST(Rewind, BeforeTheFirstStepKeepsExistingFiles) {
  const auto store = memory_store();
  const RunPlan old = plan(1, 0, 3, true);
  ASSERT_TRUE(write_all(store, old).ok());
  const auto files = all_files(*store, ".");
  RunPlan run = old;
  run.overwrite = true;
  {
    auto pipeline = open_run(Communicator::serial(), store, run).value();
    EXPECT_TRUE(pipeline->rewind({}, 0).ok());
    EXPECT_TRUE(pipeline->close({}).ok());
  }
  EXPECT_TRUE(all_files(*store, ".") == files);
}

TEST(Rewind, KeepsFilesOfOthersAmongTheBlocks) {
  const auto store = memory_store();
  const RunPlan run = plan(1, 0, 3, true);
  ASSERT_TRUE(write_all(store, run).ok());
  store->create_exclusive("run/time_0002/notes.txt", "mine").check();
  ASSERT_TRUE(write_all(store, plan(1, 1, 2, true)).ok());
  EXPECT_EQ(store->list("run/time_0002").value(), std::vector<std::string>{"notes.txt"});
}

TEST(Rewind, KeepsFilesWithSimilarNames) {
  const auto store = memory_store();
  const RunPlan run = plan(1, 0, 3, true);
  ASSERT_TRUE(write_all(store, run).ok());
  for (const char* name : {"run/time_9/notes", "run/time_+009/notes", "run/time_00009/notes", "run/notes"}) {
    store->create_exclusive(name, "mine").check();
  }
  ASSERT_TRUE(write_all(store, plan(1, 1, 2, true)).ok());
  for (const char* name : {"run/time_9/notes", "run/time_+009/notes", "run/time_00009/notes", "run/notes"}) {
    EXPECT_TRUE(store->exists(name).value()) << name;
  }
}

// Fixed fields get their .idx with the first step, in the format that the dataset was created with.
TEST(AppendToNoSteps, KeepsTheFormatOfLaterParts) {
  RunPlan run = plan(1, 0, 1, false);
  run.in_block = InBlockOrder::kHz;
  const auto reference = memory_store();
  ASSERT_TRUE(write_all(reference, run).ok());
  const auto store = memory_store();
  RunPlan empty = run;
  empty.end_step = 0;
  ASSERT_TRUE(write_all(store, empty).ok());
  Options options = options_of(plan(1, 0, 1, false));
  options.checksums = false;
  options.bits_per_block = 5;
  options.alignment_bytes = 64;
  const auto comm = Communicator::serial();
  auto pipeline = WritePipeline::append(comm.get(), store, run.path, options).value();
  write_step(*pipeline, comm, run, 0).check();
  ASSERT_TRUE(pipeline->close({}).ok());
  expect_same_files(*store, *reference, ".");
}

// With fsync = step, a rewind is as durable as a commit.
TEST(Rewind, OfAFailedCommitIsDurableIfStepsAre) {
  const auto inner = memory_store();
  bool armed = false;
  std::vector<std::string> synced;
  const auto store = faulty_store(inner, [&](StoreCall call, const std::string& path) {
    if (!armed) return 0;
    if (call == StoreCall::kSync) synced.push_back(path);
    const bool fails = call == StoreCall::kSyncDirectory && path == "." && std::exchange(armed, true) &&
                       std::count(synced.begin(), synced.end(), "run.idx.tmp") == 1;
    return fails ? EIO : 0;
  });
  RunPlan run = plan(1, 0, 3, true);
  run.fsync = Fsync::kStep;
  const auto comm = Communicator::serial();
  auto pipeline = open_run(comm, store, run).value();
  write_step(*pipeline, comm, run, 0).check();
  armed = true;
  EXPECT_EQ(write_step(*pipeline, comm, run, 1).code(), Code::kIoError);
  EXPECT_EQ(std::count(synced.begin(), synced.end(), "run.idx.tmp"), 2);  // the commit, and its rewind
  armed = false;
  EXPECT_TRUE(write_step(*pipeline, comm, run, 1).ok());
  EXPECT_TRUE(pipeline->close({}).ok());
  expect_complete(inner, run, 2);
}

}  // namespace
}  // namespace esker
