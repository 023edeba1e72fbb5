// A run of two steps that is killed at any call to the file system, in each format, while it creates or
// replaces a dataset. Afterwards a run can append to the dataset, or there is no dataset and a run can create
// one without the option overwrite. Both end with the files of an uninterrupted run.
//
// No process is killed: a kill would leave the files as they are before each call, or with half of a write.
// tests/unit/write/crash_test.cc and tests/python/test_kill.py kill.
#include <gtest/gtest.h>

#include <set>

#include "store/faulty_store.h"
#include "store/forwarding_store.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

using Files = std::map<std::string, std::string>;

constexpr Index kRunSteps = 2;
constexpr Index kOldSteps = 3;  ///< of a dataset that is replaced

/// Writes in halves, and takes a snapshot in between.
class HalvingFile final : public ForwardingFile {
 public:
  HalvingFile(std::unique_ptr<File> inner, std::function<void()> look)
      : ForwardingFile(std::move(inner)), look_(std::move(look)) {}
  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    ForwardingFile::write_at(bytes.first(bytes.size() / 2), offset).check();
    look_();
    return ForwardingFile::write_at(bytes, offset);
  }

 private:
  std::function<void()> look_;
};

class HalvingStore final : public ForwardingStore {
 public:
  HalvingStore(std::shared_ptr<Store> inner, std::function<void()> look)
      : ForwardingStore(std::move(inner)), look_(std::move(look)) {}
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = inner().open(path, mode);
    if (!file.ok()) return file;
    return std::unique_ptr<File>(std::make_unique<HalvingFile>(std::move(*file), look_));
  }

 private:
  std::function<void()> look_;
};

std::shared_ptr<Store> store_with(const Files& files) {
  const auto store = memory_store();
  for (const auto& [path, bytes] : files) {
    store->open(path, OpenMode::kWrite).value()->write_at(std::as_bytes(std::span(bytes)), 0).check();
  }
  return store;
}

/// All states that a kill may leave, without the lock, which is taken over.
std::set<Files> states_of(const std::shared_ptr<Store>& store, const RunPlan& run) {
  std::set<Files> states;
  const auto look = [&] {
    Files files = all_files(*store, ".");
    files.erase("run.esker-lock");
    states.insert(std::move(files));
  };
  const auto halving = std::make_shared<HalvingStore>(store, look);
  const auto each_call = faulty_store(halving, [&](StoreCall, const std::string&) {
    look();
    return 0;
  });
  const Status status = write_all(each_call, run);
  EXPECT_TRUE(status.ok()) << status.message();
  look();
  return states;
}

Status write_rest(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run) {
  for (auto step = static_cast<Index>(pipeline.times().size()); step < kRunSteps; ++step) {
    const Status status = write_step(pipeline, comm, run, step);
    if (!status.ok()) return status;
  }
  return pipeline.close({});
}

enum class End { kAppended, kCreated, kOldIsThere };

struct Creation {
  const char* name;
  std::string format;
  bool single = false;
  bool replaces = false;
  bool old_single = false;
  const char* partitions = nullptr;  ///< stored separately
  const char* levels = nullptr;      ///< of lower resolution
};

class CreationTest : public testing::TestWithParam<Creation> {
 protected:
  void SetUp() override {
    run_.single = GetParam().single;
    run_.path = GetParam().format.ends_with("idx")    ? "run.idx"
                : GetParam().format.ends_with("zarr") ? "run.zarr"
                                                      : "run.nc";
    run_.options = {{"format", GetParam().format}};
    if (const char* levels = GetParam().levels) run_.options.insert({"levels", levels});
    if (const char* partitions = GetParam().partitions) {
      run_.options.insert({{"partition_index", "local"}, {"partitions", partitions}});
    }
    run_.fsync = Fsync::kStep;
    run_.end_step = kRunSteps;
    const auto store = memory_store();
    const Status status = write_all(store, run_);
    if (status.code() == Code::kUnsupported) GTEST_SKIP() << status.message();
    ASSERT_TRUE(status.ok()) << status.message();
    whole_ = all_files(*store, ".");
  }

  /// Its blocks are not those of the new one.
  RunPlan old_run() const {
    RunPlan old = run_;
    old.single = GetParam().old_single;
    old.end_step = old_steps_;
    old.options["blocks_per_file"] = "2";
    old.options["alignment"] = "64";
    return old;
  }

  /// The calls of a program that is restarted: append or, without a dataset, create.
  void follow(const Files& files, bool by_file, End& end) {
    const auto store = store_with(files);
    RunPlan run = run_;
    if (by_file) run.options.erase("format");  // it is known from the files
    run_ranks(1, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::append(comm.get(), store, run.path, options_of(run));
      if (pipeline.ok()) {
        end = (*pipeline)->times().size() == kOldSteps ? End::kOldIsThere : End::kAppended;
        const Status status =
            end == End::kOldIsThere ? (*pipeline)->close({}) : write_rest(**pipeline, comm, run);
        ASSERT_TRUE(status.ok()) << status.message();
        return;
      }
      end = End::kCreated;
      ASSERT_EQ(pipeline.status().code(), Code::kNotFound) << pipeline.status().message();
      pipeline = open_run(comm, store, run_);
      ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
      const Status status = write_rest(**pipeline, comm, run_);
      ASSERT_TRUE(status.ok()) << status.message();
    });
    ASSERT_FALSE(HasFatalFailure());
    expect_files(*store, end == End::kOldIsThere ? old_ : whole_);
  }

  void expect_files(Store& store, const Files& expected) {
    const Files files = all_files(store, ".");
    for (const auto& [path, bytes] : expected) {
      ASSERT_TRUE(files.contains(path)) << path << " is missing";
      ASSERT_TRUE(files.at(path) == bytes) << path << " differs";
    }
    for (const auto& [path, bytes] : files) ASSERT_TRUE(expected.contains(path)) << path << " is left";
  }

  void expect_all_can_be_followed(const std::set<Files>& states) {
    int number = 0;
    std::set<End> seen;
    for (const Files& files : states) {
      End end{};
      follow(files, ++number % 2 == 0, end);
      seen.insert(end);
      std::string names;
      for (const auto& [path, bytes] : files) names += " " + path;
      ASSERT_FALSE(HasFailure()) << "with the files" << names;
    }
    EXPECT_TRUE(seen.contains(End::kAppended));
    EXPECT_TRUE(seen.contains(GetParam().replaces && old_steps_ > 0 ? End::kOldIsThere : End::kCreated) ||
                GetParam().replaces);
  }

  RunPlan run_;
  Index old_steps_ = kOldSteps;
  Files whole_, old_;
};

class ReplacingTest : public CreationTest {};

TEST_P(CreationTest, AfterAKillAtAnyCallARunCanContinueOrCreate) {
  const auto store = memory_store();
  if (GetParam().replaces) {
    ASSERT_TRUE(write_all(store, old_run()).ok());
    old_ = all_files(*store, ".");
    run_.overwrite = true;
  }
  const auto states = states_of(store, run_);
  run_.overwrite = false;
  ASSERT_GT(states.size(), 20u);
  expect_all_can_be_followed(states);
}

// A dataset without steps has no data: either of the two may remain, but a run must be able to continue.
TEST_P(ReplacingTest, AfterAKillWhileItReplacesADatasetWithoutStepsARunCanContinue) {
  const auto store = memory_store();
  old_steps_ = 0;
  ASSERT_TRUE(write_all(store, old_run()).ok());
  run_.overwrite = true;
  for (const Files& files : states_of(store, run_)) {
    const auto here = store_with(files);
    RunPlan next = run_;
    next.overwrite = false;
    run_ranks(1, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::append(comm.get(), here, next.path, options_of(next));
      ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
      RunPlan found = next;
      found.single = (*pipeline)->schema().fields().size() == schema_of(next).fields().size()
                         ? next.single
                         : GetParam().old_single;
      const Status status = write_rest(**pipeline, comm, found);
      ASSERT_TRUE(status.ok()) << status.message();
    });
    ASSERT_FALSE(HasFailure());
  }
}

std::vector<Creation> creations() {
  return {{"Idx", "idx", true},
          {"IdxOfSeveralGrids", "idx"},
          {"Cdf5", "cdf5"},
          {"Netcdf4", "netcdf4"},
          {"Cdf5AndIdx", "cdf5+idx", true},
          {"Zarr", "zarr"},
          {"ZarrAndIdx", "zarr+idx"},
          {"Cdf5AndZarr", "cdf5+zarr"},
          {"Netcdf4AndZarr", "netcdf4+zarr", true},
          {"Cdf5AndIdxOfSeveralGrids", "cdf5+idx"},
          {"Netcdf4AndIdx", "netcdf4+idx", true},
          {"IdxReplacesIdx", "idx", true, true, true},
          {"IdxReplacesSeveralGrids", "idx", true, true, false},
          {"SeveralGridsReplaceIdx", "idx", false, true, true},
          {"SeveralGridsReplaceSeveral", "idx", false, true, false},
          {"Cdf5ReplacesCdf5", "cdf5", false, true, true},
          {"Netcdf4ReplacesNetcdf4", "netcdf4", false, true, true},
          {"ZarrReplacesZarr", "zarr", false, true, true},
          {"LevelsOfZarrReplaceThemselves", "zarr", false, true, true, nullptr, "1"},
          {"ZarrAndIdxReplaceThemselves", "zarr+idx", true, true, true},
          {"Cdf5AndZarrReplaceThemselves", "cdf5+zarr", true, true, true},
          {"PartsOfNetcdf4", "netcdf4", true, false, false, "2"},
          {"PartsOfNetcdf4ReplaceThemselves", "netcdf4", true, true, true, "2"},
          {"Cdf5AndIdxReplaceThemselves", "cdf5+idx", true, true, true},
          {"Cdf5AndIdxReplaceSeveralGrids", "cdf5+idx", true, true, false},
          {"Cdf5AndIdxOfSeveralGridsReplaceOne", "cdf5+idx", false, true, true}};
}

std::vector<Creation> replacements() {
  std::vector<Creation> all = creations();
  // Parts are removed before others take their names.
  std::erase_if(all, [](const Creation& creation) { return !creation.replaces || creation.partitions; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ReplacingTest, testing::ValuesIn(replacements()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(All, CreationTest, testing::ValuesIn(creations()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esker
