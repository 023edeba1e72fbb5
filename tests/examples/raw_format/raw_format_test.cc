// The example format in the write pipeline, on threads as ranks and stores in memory, and the registry.
#include "examples/raw_format/raw_format.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "esker/dataset_name.hpp"
#include "formats/registry/formats.h"
#include "formats/registry/open_dataset.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs and scenario

const bool kHasRaw = raw::register_raw_format().ok();

RunPlan raw_run(int n_ranks) {
  RunPlan run;
  run.path = "run.raw";
  run.checksums = false;
  run.n_ranks = n_ranks;
  run.seed = static_cast<unsigned>(n_ranks);
  return run;
}

std::shared_ptr<Store> written_by_one() {
  const auto store = memory_store();
  EXPECT_TRUE(kHasRaw);
  EXPECT_TRUE(write_all(store, raw_run(1)).ok());
  return store;
}

TEST(RawFormat, AFileHoldsTheSamplesOfAFieldRowByRow) {
  const auto store = written_by_one();
  const Schema schema = mixed_schema();
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    std::vector<Point> points;
    for_each_point(schema.box_of(schema.grid_of(field)), [&](const Point& p) { points.push_back(p); });
    for (Index step = 0; step < 3; ++step) {
      const std::string path = "run.samples/" + field.name + "." + std::to_string(step);
      const bool is_due = field.fixed ? step == 0 : step % field.every == 0;
      ASSERT_EQ(store->exists(path).value(), is_due) << path;
      if (!is_due) continue;
      const auto expected = expected_samples(field, static_cast<int>(f), step, points);
      const std::string found = read_text(*store, path, std::size_t{1} << 30).value();
      ASSERT_TRUE(std::ranges::equal(std::as_bytes(std::span(found)), expected)) << path;
    }
  }
}

TEST(RawFormat, TheBytesAreTheSameForAnyNumberOfRanks) {
  const auto expected = written_by_one();
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (const auto& options : ways_to_move(n_ranks)) {
      SCOPED_TRACE(std::to_string(n_ranks) + " ranks, " + text_of(options));
      const auto store = memory_store();
      RunPlan run = raw_run(n_ranks);
      run.options = options;
      run.memory_budget = Index{400} << 10;  // several rounds
      const Status status = write_all(store, run);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_NO_FATAL_FAILURE(expect_same_files(*store, *expected, "."));
    }
  }
  expect_complete(expected, raw_run(1), 3);
}

TEST(RawFormat, AppendedAndRewoundRunsEndInTheSameBytes) {
  const auto expected = written_by_one(), store = memory_store();
  RunPlan run = raw_run(4);
  run.end_step = 2;
  ASSERT_TRUE(write_all(store, run).ok());
  run.n_ranks = 2;
  run.first_step = 1;  // drops a step
  run.end_step = 3;
  ASSERT_TRUE(write_all(store, run).ok());
  expect_same_files(*store, *expected, ".");
}

/// A run of which no call to the file system succeeds after so many; whether it ended before.
bool is_killed(const std::shared_ptr<Store>& store, const RunPlan& run, int calls) {
  std::atomic<int> done{0};
  const auto dies = [&](StoreCall, const std::string&) { return ++done > calls ? EIO : 0; };
  const auto dying = faulty_store(store, dies);
  const bool is_complete = write_all(dying, run).ok();
  store->remove("run.esker-lock").check();  // as the next process of this host would
  return !is_complete;
}

TEST(RawFormat, AKilledRunLeavesADatasetThatOpens) {
  const auto expected = written_by_one();
  int kills = 0;
  for (bool is_over = false; !is_over; ++kills) {
    SCOPED_TRACE(kills);
    const auto store = memory_store();
    RunPlan run = raw_run(2);
    is_over = !is_killed(store, run, kills);
    const auto dataset = open_dataset(store, run.path);
    const Index committed = dataset.ok() ? std::ssize((*dataset)->times) : 0;
    ASSERT_TRUE(dataset.ok() || dataset.status().code() == Code::kNotFound) << dataset.status().message();
    if (dataset.ok()) {
      ASSERT_NO_FATAL_FAILURE(expect_complete(store, run, committed));
    }
    run.append = dataset.ok();
    run.first_step = committed;
    const Status status = write_all(store, run);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_NO_FATAL_FAILURE(expect_same_files(*store, *expected, "."));
  }
  EXPECT_GT(kills, 50);
}

TEST(RawFormat, OnlyARawDatasetIsReplacedAndOnlyOnRequest) {
  const auto store = written_by_one();
  EXPECT_EQ(write_all(store, raw_run(2)).code(), Code::kAlreadyExists);
  RunPlan run = raw_run(2);
  run.overwrite = true;
  ASSERT_TRUE(write_all(store, run).ok());
  expect_same_files(*store, *written_by_one(), ".");
  const auto foreign = memory_store();
  foreign->create_exclusive("run.raw", "a picture").check();
  EXPECT_EQ(write_all(foreign, run).code(), Code::kAlreadyExists);
}

TEST(RawFormat, DamageIsFound) {
  const auto store = written_by_one();
  store->remove("run.samples/vel.1").check();
  store->open("run.samples/temp.2", OpenMode::kWrite).value()->shrink_to(100).check();
  EXPECT_EQ(findings_of(store, "run.raw").size(), 2u);
  for (const std::string text :
       {"eskerraw 2\n\n{}", "eskerraw 1", "eskerraw 1\n0 x\n{}", "eskerraw 1\n0\n{"}) {
    const auto damaged = memory_store();
    damaged->create_exclusive("run.raw", text).check();
    EXPECT_EQ(open_dataset(damaged, "run.raw").status().code(), Code::kDataLoss) << text;
  }
}

TEST(Registry, ARegisteredFormatIsKnownByNameSuffixAndMagicBytes) {
  ASSERT_TRUE(kHasRaw);
  Options options;
  EXPECT_TRUE(options.set("format", "raw").ok());
  EXPECT_EQ(options.set("format", "raw+idx").code(), Code::kInvalidArgument);
  EXPECT_NE(options.set("format", "rare").message().find("raw (an example)"), std::string::npos);
  EXPECT_EQ(split_name("out/run.raw").format, "raw");
  EXPECT_EQ(dataset_suffixes().back(), ".raw");
  const auto store = written_by_one();
  EXPECT_TRUE(open_dataset(store, "run").ok()) << "the suffix may be left out";
  RunPlan run = raw_run(1);
  run.first_step = 3;
  run.end_step = 4;
  run.path = "run";
  EXPECT_TRUE(write_all(store, run).ok()) << "also to append";
  expect_complete(store, run, 4);
}

TEST(Registry, RefusesWhatIsIncompleteOrTaken) {
  EXPECT_EQ(raw::register_raw_format().code(), Code::kAlreadyExists);
  FormatEntry entry = *find_format("raw");
  entry.names = {"other"};
  EXPECT_EQ(register_format(entry).code(), Code::kAlreadyExists) << "magic bytes";
  entry.magic = "";
  EXPECT_EQ(register_format(entry).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace esker
