// Steps with partition_index=hybrid: read as they are stored, and merged to the bytes of the global index.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "esker/merge.hpp"
#include "formats/idx/merge.h"
#include "formats/idx/rebuild.h"
#include "formats/registry/open_dataset.h"
#include "grid/points.h"
#include "grid/selection.h"
#include "model/field_facts.h"
#include "store/commit.h"
#include "store/faulty_store.h"
#include "store/lock.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs
namespace fs = std::filesystem;

/// Grids that divide into up to 8 nearly equal bricks, except for the line, which does not have 8 blocks.
Schema several_grids() { return volume_plane_and_line({15, 29, 16}); }

Schema one_grid(Index extent_y = 29) {
  Schema schema;
  const DimId x = schema.add_dim("x", 30).value();
  const DimId y = schema.add_dim("y", extent_y).value();
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  schema.add_field({"thk", plane, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"mask", plane, SampleType::kUint8, 1, false, 2, {}}).status().check();
  return schema;
}

class Hybrid : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static Schema schema() { return GetParam() ? several_grids() : one_grid(); }
};

TEST_P(Hybrid, IsReadAsItIsAndMergedToTheGlobalBytes) {
  for (const int partitions : {2, 4, 8}) {
    for (const InBlockOrder order : {InBlockOrder::kRowMajor, InBlockOrder::kHz}) {
      for (const bool checksums : {true, false}) {
        RunPlan run = partitioned_run(schema(), partitions, "hybrid");
        run.in_block = order;
        run.checksums = checksums;
        SCOPED_TRACE(std::to_string(partitions) + (order == InBlockOrder::kHz ? " hz" : " row_major"));
        const auto store = written(run);
        expect_complete(store, run, run.end_step);
        EXPECT_EQ(findings_of(store, run.path), std::vector<std::string>());
        run.options["partition_index"] = "global";
        const auto global = written(run);
        const auto report = idx::merge_on(store, run.path);
        ASSERT_TRUE(report.ok()) << report.status().message();
        EXPECT_GE(report->steps, run.end_step);
        expect_same_files(*store, *global, ".");
        expect_complete(store, run, run.end_step);
        EXPECT_EQ(idx::merge_on(store, run.path)->steps, 0);
      }
    }
  }
}

TEST_P(Hybrid, DoesNotDependOnTheRanks) {
  for (const int partitions : {2, 4, 8}) {
    RunPlan run = partitioned_run(schema(), partitions, "hybrid");
    const auto reference = written(run);
    for (const int n_ranks : {4, 7, 16}) {
      if (partitions > n_ranks) continue;
      for (const int per_node : {0, 1, 3}) {
        place(run, n_ranks, per_node, partitions);
        run.new_boxes_each_step = per_node == 3;
        run.max_fan_in = partitions == 4 ? 2 : 0;
        SCOPED_TRACE(name_of(run) + " partitions " + std::to_string(partitions));
        expect_same_files(*written(run), *reference, ".");
      }
    }
  }
}

TEST_P(Hybrid, ContinuesInItsOrderAndInTheGlobalOneOnceMerged) {
  RunPlan run = partitioned_run(schema(), 4, "hybrid");
  const auto whole = written(run);
  run.end_step = 2;
  const auto store = written(run), merged = written(run);
  ASSERT_TRUE(idx::merge_on(merged, run.path).ok());
  RunPlan rest = run;
  rest.first_step = 2;
  rest.end_step = 3;
  rest.n_ranks = 3;
  rest.options = {};  // the dataset knows its bricks
  ASSERT_TRUE(write_all(store, rest).ok());
  expect_same_files(*store, *whole, ".");
  ASSERT_TRUE(write_all(merged, rest).ok());
  ASSERT_TRUE(idx::merge_on(store, run.path).ok());
  expect_same_files(*merged, *store, ".");
}

INSTANTIATE_TEST_SUITE_P(Grids, Hybrid, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Several" : "One"); });

/// The error of a run.
std::string failure_of(const RunPlan& run) {
  const Status status = write_all(memory_store(), run);
  EXPECT_FALSE(status.ok());
  return status.message();
}

TEST(HybridErrors, NameTheWayOut) {
  const RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  RunPlan other = run;
  other.options["compression"] = "zip";
  EXPECT_NE(failure_of(other).find("partition_index=global"), std::string::npos);
  EXPECT_NE(failure_of(other).find("depend on the data"), std::string::npos);
  other = run;
  other.n_ranks = 3;
  EXPECT_NE(failure_of(other).find("only 3 ranks"), std::string::npos);
  other.options["partitions"] = "3";
  EXPECT_NE(failure_of(other).find("set partitions=2"), std::string::npos);
  other.options.erase("partitions");
  EXPECT_NE(failure_of(other).find("set partitions"), std::string::npos);
  other = run;
  other.schema = one_grid(20);  // of 32: bricks of 16 and of 4
  EXPECT_NE(failure_of(other).find("equal bricks"), std::string::npos);
  other = run;
  other.options["bits_per_block"] = "9";
  EXPECT_NE(failure_of(other).find("bits_per_block"), std::string::npos);
  other = run;
  other.schema = stored_bits_schema();
  EXPECT_NE(failure_of(other).find("stored_bits"), std::string::npos);
  other = run;
  other.keep = keep_some_blocks;
  EXPECT_NE(failure_of(other).find("partition_index=global"), std::string::npos);
}

std::vector<Point> points_of(const Lattice& samples) {
  std::vector<Point> points;
  for_each_index_point(samples.all_indices(), [&](const Point& i) { points.push_back(samples.point(i)); });
  return points;
}

/// Samples that are read are those that were written, or reading is an error that names the merge.
void expect_no_wrong_sample(const RunPlan& run) {
  const auto opened = open_dataset(posix_store(), run.path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const OpenedDataset& dataset = **opened;
  for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
    const Field& field = dataset.schema.fields()[f];
    const auto number = static_cast<int>(f);
    const Bitmask mask = dataset.bitmask(number).value();
    for (Index step = 0; step < (field.fixed ? 1 : run.end_step); ++step) {
      if (!is_due(field, step)) continue;
      for (const int level : {3, mask.max_level()}) {
        const auto expected = expected_samples(field, number, step,
                                               points_of(select_samples(mask, dataset.box(number), level)));
        std::vector<std::byte> answer(expected.size());
        const Status read = read_box(dataset, number, step, dataset.box(number), level, answer.data());
        if (read.ok()) {
          ASSERT_EQ(answer, expected) << field.name << " step " << step;
        } else {
          ASSERT_NE(read.message().find("esker merge"), std::string::npos) << read.message();
        }
      }
    }
  }
}

std::string failure_of_append(const RunPlan& run) {
  const Status status = write_all(posix_store(), run);
  EXPECT_FALSE(status.ok());
  return status.message();
}

/// Kills a merge before call number `call` to the store. False: it had fewer calls.
bool is_killed(const std::string& path, int call) {
  const pid_t child = ::fork();
  if (child == 0) {
    int number = 0;
    const auto rule = [&](StoreCall made, const std::string&) {
      ++number;
      if (number >= call) ::kill(::getpid(), SIGKILL);
      return number == call - 1 && call % 2 == 0 && made == StoreCall::kWrite ? EIO : 0;  // half of a write
    };
    (void)idx::merge_on(faulty_store(posix_store(), rule), path);
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

class KilledMerge : public testing::TestWithParam<bool> {};

TEST_P(KilledMerge, IsFinishedByAnother) {
  const fs::path top = fs::temp_directory_path() / ("esker-merge-" + std::to_string(::getpid()));
  RunPlan run = partitioned_run(GetParam() ? several_grids() : one_grid(), 4, "global");
  run.options["blocks_per_file"] = GetParam() ? "4" : "2";  // merges sync each file three times
  run.end_step = GetParam() ? 1 : 2;
  const auto global = written(run);
  run.options["partition_index"] = "hybrid";
  run.path = (top / "written/run.idx").string();
  ASSERT_TRUE(write_all(posix_store(), run).ok());
  int kills = 0, journals = 0;
  for (int call = 1;; call += GetParam() ? 23 : 5) {
    SCOPED_TRACE("killed at call " + std::to_string(call));
    fs::remove_all(top / "merged");
    fs::copy(top / "written", top / "merged", fs::copy_options::recursive);
    run.path = (top / "merged/run.idx").string();
    const bool killed = is_killed(run.path, call);
    expect_no_wrong_sample(run);
    RunPlan rest = run;
    rest.first_step = run.end_step;
    rest.end_step = rest.first_step + 1;
    const bool is_whole = fs::exists(top / "merged/run.esker-merge");
    if (is_whole) {
      ++journals;
      EXPECT_NE(failure_of_append(rest).find("esker merge"), std::string::npos);
      EXPECT_NE(findings_of(posix_store(), run.path).back().find("esker merge"), std::string::npos);
    }
    const auto report = idx::merge_on(posix_store(), run.path);
    ASSERT_TRUE(report.ok()) << report.status().message();
    const auto files = all_files(*posix_store(), (top / "merged").string());
    const auto expected = all_files(*global, ".");
    EXPECT_EQ(files.size(), expected.size());
    for (const auto& [path, bytes] : expected) {
      const std::string here = (top / "merged" / path).string();
      ASSERT_TRUE(files.contains(here)) << path;
      ASSERT_TRUE(files.at(here) == bytes) << path;
    }
    if (!killed || testing::Test::HasFailure()) break;
    ++kills;
  }
  EXPECT_GT(kills, 10);
  EXPECT_GT(journals, 5);
  fs::remove_all(top);
}

INSTANTIATE_TEST_SUITE_P(Grids, KilledMerge, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Several" : "One"); });

// Its header says which bricks there are, also without the record.
TEST(HybridErrors, AnIdxWithoutARecordIsRebuilt) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  const auto store = written(run);
  RebuildRequest request;
  request.path = "run.idx";
  const auto same = rebuild_idx_on(store, request);
  ASSERT_TRUE(same.ok()) << same.status().message();
  EXPECT_EQ(same->steps, run.end_step);
  std::string text = read_text(*store, "run.idx", std::size_t{1} << 20).value();
  text.resize(text.find("(esker)"));
  replace_file(*store, "run.idx", text, false).check();
  store->remove("run.schema.json").check();
  const auto opened = open_dataset(store, "run.idx");
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const Field& field = (*opened)->schema.fields().front();
  const auto expected = expected_samples(
      field, 0, 1, points_of(select_samples((*opened)->bitmask(0).value(), (*opened)->box(0), 10)));
  std::vector<std::byte> answer(expected.size());
  EXPECT_TRUE(read_box(**opened, 0, 1, (*opened)->box(0), 10, answer.data()).ok());
  EXPECT_EQ(answer, expected);
}

// A journal of the replaced dataset must not be applied to the new one.
TEST(MergeErrors, ANewDatasetHasNoJournal) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  const auto store = written(run);
  store->create_exclusive("run.esker-merge", "ESKMERG1").check();
  RunPlan rest = run;
  rest.first_step = 3;
  rest.end_step = 4;
  EXPECT_NE(write_all(store, rest).message().find("run it again first"), std::string::npos);
  EXPECT_EQ(idx::merge_on(store, run.path).status().code(), Code::kDataLoss);
  run.overwrite = true;
  ASSERT_TRUE(write_all(store, run).ok());
  EXPECT_FALSE(store->exists("run.esker-merge").value());
  EXPECT_TRUE(idx::merge_on(store, run.path).ok());
}

// Each byte of a journal is covered by a checksum, and nothing is changed before all of them are checked.
TEST(MergeErrors, ADamagedJournalChangesNothing) {
  RunPlan run = partitioned_run(one_grid(), 2, "hybrid");
  run.end_step = 1;
  const auto untouched = written(run);
  const auto interrupted = written(run);
  const auto stop = faulty_store(interrupted, [](StoreCall call, const std::string& path) {
    return call == StoreCall::kRemove && path.ends_with(".esker-merge") ? EIO : 0;
  });
  ASSERT_FALSE(idx::merge_on(stop, run.path).ok());
  const auto journal = read_text(*interrupted, "run.esker-merge", std::size_t{1} << 20).value();
  for (std::size_t at = 0; at < journal.size(); at += at < 200 ? 7 : 211) {
    const auto store = written(run);
    std::string damaged = journal;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    store->create_exclusive("run.esker-merge", damaged).check();
    const auto report = idx::merge_on(store, run.path);
    ASSERT_EQ(report.status().code(), Code::kDataLoss) << at << ": " << report.status().message();
    store->remove("run.esker-merge").check();
    expect_same_files(*store, *untouched, ".");
  }
}

TEST(MergeErrors, ADamagedBlockChangesNothing) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  run.end_step = 1;
  const auto store = written(run), untouched = written(run);
  for (const auto& each : {store, untouched}) {
    const auto file = each->open("run/time_0000/0000.bin", OpenMode::kWrite).value();
    const Index at = file->size_bytes().value() - 9;
    std::vector<std::byte> byte(1);
    file->read_at(byte, at).check();
    byte[0] ^= std::byte{1};
    file->write_at(byte, at).check();
  }
  const auto report = idx::merge_on(store, run.path);
  EXPECT_EQ(report.status().code(), Code::kDataLoss) << report.status().message();
  EXPECT_NE(report.status().message().find("run/time_0000/0000.bin"), std::string::npos);
  expect_same_files(*store, *untouched, ".");
}

// It names the blocks of the dataset that it was copied from.
TEST(MergeErrors, ACopiedIdxDoesNotChangeTheBlocksOfTheOther) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  const auto store = written(run), untouched = written(run);
  for (const auto& each : {store, untouched}) {
    const std::string text = read_text(*each, "run.idx", std::size_t{1} << 20).value();
    each->create_exclusive("copy.idx", text).check();
  }
  const auto report = idx::merge_on(store, "copy.idx");
  EXPECT_EQ(report.status().code(), Code::kDataLoss) << report.status().message();
  EXPECT_NE(report.status().message().find("blocks of 'run'"), std::string::npos);
  expect_same_files(*store, *untouched, ".");
}

/// A dataset of several grids in an empty directory.
class MergeByName : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(base_);
    fs::create_directories(base_);
    run_.end_step = 1;
    run_.path = base_ / "out";
    ASSERT_TRUE(write_all(posix_store(), run_).ok());
  }
  void TearDown() override { fs::remove_all(base_); }

  fs::path base_ = fs::temp_directory_path() / ("esker-merge-name-" + std::to_string(::getpid()));
  RunPlan run_ = partitioned_run(several_grids(), 4, "hybrid");
};

TEST_F(MergeByName, RefusesALinkToADirectory) {
  fs::create_directory_symlink("out", base_ / "alias");
  const auto report = idx::merge_on(posix_store(), base_ / "alias");
  EXPECT_EQ(report.status().code(), Code::kInvalidArgument) << report.status().message();
  EXPECT_NE(report.status().message().find("alias is a symbolic link; merge "), std::string::npos);
  EXPECT_FALSE(fs::exists(base_ / "alias.esker-lock"));
  EXPECT_TRUE(idx::merge_on(posix_store(), run_.path).ok());
}

TEST_F(MergeByName, MergesBlocksBehindALink) {
  RunPlan single = partitioned_run(one_grid(), 4, "hybrid");
  single.path = base_ / "run.idx";
  ASSERT_TRUE(write_all(posix_store(), single).ok());
  fs::create_directory(base_ / "scratch");
  fs::rename(base_ / "run", base_ / "scratch/run");
  fs::create_directory_symlink("scratch/run", base_ / "run");
  const auto report = idx::merge_on(posix_store(), single.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->steps, single.end_step);
}

// The lock of "." is that of the directory's name.
TEST_F(MergeByName, LocksTheDirectoryThatADotNames) {
  const std::string lock = run_.path + ".esker-lock";
  const fs::path before = fs::current_path();
  for (const char* name : {".", "../out/.", "xyz/.."}) {
    fs::current_path(run_.path);
    WriterLock held(posix_store(), lock);
    held.acquire().check();
    EXPECT_EQ(idx::merge_on(posix_store(), name).status().code(), Code::kAlreadyExists) << name;
    RunPlan rest = run_;
    rest.path = name;
    rest.first_step = 1;
    rest.end_step = 2;
    EXPECT_EQ(write_all(posix_store(), rest).code(), Code::kAlreadyExists) << name;
    held.release().check();
    fs::current_path(before);
  }
  fs::current_path(run_.path);
  const auto report = idx::merge_on(posix_store(), ".");
  fs::current_path(before);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_GT(report->steps, 0);
}

// Another writer commits a step while the merge waits for its lock.
TEST(MergeErrors, StepsThatAreCommittedBeforeTheLockAreKept) {
  RunPlan run = partitioned_run(several_grids(), 4, "hybrid");
  RunPlan begun = run, rest = run;
  begun.end_step = rest.first_step = 2;
  const auto store = written(begun), whole = written(run);
  bool is_written = false;
  const auto rule = [&](StoreCall call, const std::string& path) {
    if (call == StoreCall::kCreate && path.ends_with(".esker-lock") && !std::exchange(is_written, true)) {
      EXPECT_TRUE(write_all(store, rest).ok());
    }
    return 0;
  };
  const auto report = idx::merge_on(faulty_store(store, rule), run.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_TRUE(is_written);
  ASSERT_TRUE(idx::merge_on(whole, run.path).ok());
  expect_same_files(*store, *whole, ".");
}

TEST(MergeErrors, AnIdxWithoutARecordIsNotTakenForAMergedOne) {
  const RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  const auto store = written(run);
  std::string text = read_text(*store, "run.idx", std::size_t{1} << 20).value();
  text.resize(text.find("(esker)"));
  replace_file(*store, "run.idx", text, false).check();
  store->create_exclusive("run.esker-merge", "ESKMERG1").check();
  EXPECT_FALSE(idx::merge_on(store, run.path).ok());
  EXPECT_TRUE(store->exists("run.esker-merge").value());
  store->remove("run.esker-merge").check();
  const auto report = idx::merge_on(store, run.path);
  EXPECT_EQ(report.status().code(), Code::kUnsupported) << report.status().message();
  EXPECT_NE(report.status().message().find("repair run.idx --rebuild --like"), std::string::npos);
  RunPlan other = run;
  other.path = "other.idx";
  ASSERT_TRUE(write_all(store, other).ok());
  RebuildRequest request;
  request.path = run.path;
  request.like = other.path;
  request.write = true;
  const auto rebuilt = rebuild_idx_on(store, request);
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status().message();
  const auto merged = idx::merge_on(store, run.path);
  ASSERT_TRUE(merged.ok()) << merged.status().message();
  EXPECT_EQ(merged->steps, run.end_step);
}

TEST_F(MergeByName, ChangesNoDatasetOfAnotherFormat) {
  RunPlan run;
  run.path = base_ / "run.nc";
  run.end_step = 1;
  run.options = {{"format", "cdf5"}};
  ASSERT_TRUE(write_all(posix_store(), run).ok());
  const auto report = merge(run.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->steps, 0);
  EXPECT_EQ(merge(base_ / "none.nc").status().code(), Code::kNotFound);
  EXPECT_EQ(merge(run_.path)->steps, 3);  // of the .idx files of a dataset
}

/// A store whose merge is interrupted when it creates its second journal: no journal, one step merged.
std::shared_ptr<Store> with_one_step_merged(const RunPlan& run) {
  auto store = written(run);
  int journals = 0;
  const auto rule = [&](StoreCall call, const std::string& path) {
    const bool is_journal = path.find(".esker-merge") != std::string::npos;
    if (call == StoreCall::kRename && is_journal) ++journals;
    return call == StoreCall::kWrite && is_journal && journals == 1 ? EIO : 0;
  };
  EXPECT_EQ(idx::merge_on(faulty_store(store, rule), run.path).status().code(), Code::kIoError);
  EXPECT_FALSE(store->exists("run.esker-merge").value());
  return store;
}

TEST(InterruptedMerge, OfSomeStepsIsContinued) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  const auto store = with_one_step_merged(run);
  expect_complete(store, run, run.end_step);
  RunPlan rest = run;
  rest.first_step = run.end_step;
  rest.end_step = rest.first_step + 1;
  const Status refused = write_all(store, rest);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_NE(refused.message().find("run: `esker merge` was interrupted after some steps; run it again first"),
            std::string::npos)
      << refused.message();
  const auto report = idx::merge_on(store, run.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->steps, run.end_step - 1);
  run.options["partition_index"] = "global";
  expect_same_files(*store, *written(run), ".");
}

TEST(InterruptedMerge, IsFinishedBeforeAnIdxIsRebuilt) {
  const RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  RebuildRequest request;
  request.path = run.path;
  const auto part = with_one_step_merged(run);
  const auto refused = rebuild_idx_on(part, request);
  EXPECT_EQ(refused.status().code(), Code::kInvalidArgument) << refused.status().message();
  EXPECT_NE(refused.status().message().find("esker merge"), std::string::npos);
  const auto store = written(run);
  store->create_exclusive("run.esker-merge", "ESKMERG1").check();
  const auto with_journal = rebuild_idx_on(store, request);
  EXPECT_EQ(with_journal.status().code(), Code::kInvalidArgument) << with_journal.status().message();
  EXPECT_NE(with_journal.status().message().find("run it again first"), std::string::npos);
}

// Also those that another merge had put into the journal: here, all of the first step.
TEST(InterruptedMerge, ReportsTheBlocksThatItReplaced) {
  RunPlan run = partitioned_run(one_grid(), 4, "hybrid");
  run.end_step = 1;
  const auto store = written(run);
  const auto whole = idx::merge_on(written(run), run.path);
  EXPECT_EQ(whole->blocks, 8);  // two fields, four bricks
  EXPECT_EQ(whole->bytes, 4 * (8 + 1) * 16);
  const auto stop = faulty_store(store, [](StoreCall call, const std::string& path) {
    return call == StoreCall::kRename && path.find("run.idx") != std::string::npos ? EIO : 0;
  });
  EXPECT_FALSE(idx::merge_on(stop, run.path).ok());
  EXPECT_TRUE(store->exists("run.esker-merge").value());
  const auto report = idx::merge_on(store, run.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->steps, 1);
  EXPECT_EQ(report->blocks, whole->blocks);
  EXPECT_EQ(report->bytes, whole->bytes);
}

}  // namespace
}  // namespace esker
