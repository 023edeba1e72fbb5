// Steps with partition_index=local: each partition has separate .idx files, which are read as one dataset.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>

#include "formats/idx/catalog.h"
#include "formats/idx/merge.h"
#include "formats/idx/rebuild.h"
#include "formats/registry/open_dataset.h"
#include "grid/points.h"
#include "grid/selection.h"
#include "store/commit.h"
#include "store/faulty_store.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

constexpr std::size_t kMaxText = std::size_t{1} << 20;

/// The line is shorter than 16 partitions.
Schema several_grids() { return volume_plane_and_line({11, 23, 9}); }

Schema one_grid(const Point& extent = {30, 29, 1}, int rank = 2) {
  Schema schema;
  std::vector<DimId> dims;
  for (int a = 0; a < rank; ++a) {
    dims.push_back(schema.add_dim(std::string(1, static_cast<char>('x' + a)), extent[a]).value());
  }
  const int grid = schema.add_grid("grid", dims).value().index;
  schema.add_field({"thk", grid, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  return schema;
}

RunPlan run_with(const Schema& schema, int partitions, const char* index = "local") {
  RunPlan run = partitioned_run(schema, partitions, index);
  run.end_step = 2;
  return run;
}

/// All samples of a level.
std::vector<std::byte> level_of(const OpenedDataset& dataset, int field, Index step, int level) {
  const Lattice samples = select_samples(dataset.bitmask(field).value(), dataset.box(field), level);
  const Field& of = dataset.schema.fields()[static_cast<std::size_t>(field)];
  std::vector<std::byte> bytes(static_cast<std::size_t>(samples.num_samples() * of.sample_bytes()));
  const Status read = read_box(dataset, field, step, dataset.box(field), level, bytes.data());
  EXPECT_TRUE(read.ok()) << read.message();
  return bytes;
}

/// The same levels, with the same samples.
void expect_equal(const std::shared_ptr<Store>& store, const std::shared_ptr<Store>& global) {
  const auto opened = open_dataset(store, "run.idx"), expected = open_dataset(global, "run.idx");
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const OpenedDataset &here = **opened, &there = **expected;
  ASSERT_EQ(here.times, there.times);
  ASSERT_EQ(here.schema.fields().size(), there.schema.fields().size());
  for (int f = 0; f < static_cast<int>(here.schema.fields().size()); ++f) {
    const Field& field = here.schema.fields()[static_cast<std::size_t>(f)];
    SCOPED_TRACE(field.name);
    ASSERT_EQ(field.name, there.schema.fields()[static_cast<std::size_t>(f)].name);
    ASSERT_EQ(here.bitmask(f).value(), there.bitmask(f).value());
    ASSERT_EQ(here.box(f), there.box(f));
    for (Index step = 0; step < (field.fixed ? 1 : static_cast<Index>(here.times.size())); ++step) {
      ASSERT_EQ(here.has(f, step), there.has(f, step));
      if (!here.has(f, step)) continue;
      for (int level = 0; level <= here.bitmask(f)->max_level(); ++level) {
        ASSERT_EQ(level_of(here, f, step, level), level_of(there, f, step, level)) << "level " << level;
      }
    }
  }
}

class LocalIndex : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static Schema schema() { return GetParam() ? several_grids() : one_grid(); }
};

TEST_P(LocalIndex, IsReadLikeTheGlobalOne) {
  for (const int partitions : {1, 2, 3, 4, 5, 6, 7, 8, 16}) {
    SCOPED_TRACE(partitions);
    RunPlan run = run_with(schema(), partitions);
    const auto store = written(run);
    expect_complete(store, run, run.end_step);
    EXPECT_EQ(findings_of(store, run.path), std::vector<std::string>());
    run.options["partition_index"] = "global";
    expect_equal(store, written(run));
  }
}

TEST_P(LocalIndex, DoesNotDependOnTheRanks) {
  for (const int partitions : {2, 3, 4, 7}) {
    RunPlan run = run_with(schema(), partitions);
    const auto reference = written(run);
    for (const int n_ranks : {partitions % 2 == 0 ? 4 : 7, 16}) {
      if (partitions > n_ranks) continue;
      for (const int per_node : {0, 1, 3}) {
        run.n_ranks = n_ranks;
        run.ranks_per_node = per_node;
        run.seed = static_cast<unsigned>(n_ranks + 100 * partitions);
        run.new_boxes_each_step = per_node == 3;
        run.aggregators = per_node == 1 ? n_ranks : 0;
        run.memory_budget = per_node == 3 ? Index{448} << 10 : RunPlan().memory_budget;
        run.max_fan_in = partitions == 4 ? 2 : 0;
        SCOPED_TRACE(name_of(run) + " partitions " + std::to_string(partitions));
        expect_same_files(*written(run), *reference, ".");
      }
    }
  }
}

TEST_P(LocalIndex, OfCompressedFieldsIsReadLikeTheGlobalOne) {
  for (const char* codec : {"zip", "zfp-accuracy=0.01"}) {
    RunPlan run = run_with(schema(), 3);
    run.options["compression"] = codec;
    run.options["bits_per_block"] = "6";
    if (GetParam() && std::string(codec) != "zip") continue;
    const auto reference = written(run);
    for (const int n_ranks : {4, 7}) {
      run.n_ranks = n_ranks;
      run.ranks_per_node = n_ranks == 4 ? 2 : 0;
      run.aggregators = n_ranks == 7 ? 7 : 0;
      expect_same_files(*written(run), *reference, ".");
    }
    EXPECT_EQ(findings_of(reference, run.path), std::vector<std::string>());
    run.options["partition_index"] = "global";
    if (std::string(codec) == "zip") expect_equal(reference, written(run));
  }
}

TEST_P(LocalIndex, IsContinuedByAnyNumberOfRanks) {
  RunPlan run = run_with(schema(), 4);
  run.end_step = 3;
  const auto whole = written(run);
  RunPlan rest = run;
  rest.first_step = run.end_step = 1;
  for (const int n_ranks : {1, 3, 5}) {
    const auto store = written(run);
    rest.n_ranks = n_ranks;
    rest.options = {};  // the dataset knows its partitions
    if (n_ranks == 5) rest.options = {{"partitions", "4"}};
    ASSERT_TRUE(write_all(store, rest).ok());
    expect_same_files(*store, *whole, ".");
  }
  rest.options = {{"partitions", "3"}};
  const Status refused = write_all(written(run), rest);
  EXPECT_NE(refused.message().find("has 4 local partitions"), std::string::npos) << refused.message();
}

INSTANTIATE_TEST_SUITE_P(Grids, LocalIndex, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Several" : "One"); });

TEST(LocalIndexOfAPlane, DoesNotDependOnTheTransport) {
  RunPlan run = run_with(one_grid(), 3);
  const auto reference = written(run);
  run.n_ranks = 6;
  for (const auto& way : ways_to_move(run.n_ranks)) {
    RunPlan other = run;
    other.ranks_per_node = 2;
    other.options.insert(way.begin(), way.end());
    SCOPED_TRACE(text_of(way));
    expect_same_files(*written(other), *reference, ".");
  }
}

// The ice sheet of Greenland: none of its extents is a power of two.
TEST(LocalIndexOfAVolume, IsReadLikeTheGlobalOne) {
  RunPlan run = run_with(one_grid({301, 561, 61}, 3), 8);
  run.end_step = 1;
  run.options["bits_per_block"] = "0";
  run.options["blocks_per_file"] = "0";
  const auto store = written(run);
  run.options["partition_index"] = "global";
  const auto global = written(run);
  const auto opened = open_dataset(store, "run.idx"), expected = open_dataset(global, "run.idx");
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ((*opened)->infos.front().local_partitions, 8);
  for (const int level : {0, 9, 18, (*opened)->bitmask(0)->max_level()}) {
    ASSERT_EQ(level_of(**opened, 0, 0, level), level_of(**expected, 0, 0, level)) << level;
  }
}

// A grid of fewer samples than partitions.
TEST(LocalIndexOfATinyGrid, HasEmptyPartitions) {
  RunPlan run = run_with(one_grid({3, 2, 1}), 16);
  const auto store = written(run);
  expect_complete(store, run, run.end_step);
  const auto opened = open_dataset(store, "run.idx");
  EXPECT_EQ((*opened)->infos.front().local_partitions, 16);
  const auto catalog = idx::parse_catalog(read_text(*store, "run/esker.json", kMaxText).value());
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  EXPECT_LT(catalog->parts.size(), 16u);
}

/// The error of a run.
std::string failure_of(const RunPlan& run) {
  const Status status = write_all(memory_store(), run);
  EXPECT_FALSE(status.ok());
  return status.message();
}

TEST(LocalIndexErrors, NameTheWayOut) {
  const RunPlan run = run_with(one_grid(), 4);
  RunPlan other = run;
  other.n_ranks = 3;
  EXPECT_NE(failure_of(other).find("only 3 ranks"), std::string::npos);
  other = run;
  other.options.erase("partitions");
  EXPECT_NE(failure_of(other).find("set partitions"), std::string::npos);
  other = run;
  other.schema = stored_bits_schema();
  EXPECT_NE(failure_of(other).find("stored_bits"), std::string::npos);
  EXPECT_NE(failure_of(other).find("partition_index=global"), std::string::npos);
  other = run;
  other.keep = keep_some_blocks;
  EXPECT_NE(failure_of(other).find("partition_index=global"), std::string::npos);
  other = run;
  other.options["partition_index"] = "hybrid";
  other.options["compression"] = "zip";
  EXPECT_NE(failure_of(other).find("partition_index=global or local"), std::string::npos);
}

/// Opening fails with data loss, and names `what`.
void expect_loss(const std::shared_ptr<Store>& store, const std::string& what) {
  const auto opened = open_dataset(store, "run.idx");
  ASSERT_FALSE(opened.ok()) << what;
  EXPECT_EQ(opened.status().code(), Code::kDataLoss) << opened.status().message();
  EXPECT_NE(opened.status().message().find(what), std::string::npos) << opened.status().message();
}

TEST(LocalIndexErrors, APartThatIsMissingOrOfAnotherPlaceOrStepIsNamed) {
  RunPlan run = run_with(one_grid({32, 32, 1}), 4);
  const auto first = written([&] {
    RunPlan begun = run;
    begun.end_step = 1;
    return begun;
  }());
  auto store = written(run);
  store->remove("run/grid_p2.idx").check();
  expect_loss(store, "grid_p2.idx is missing");
  store = written(run);
  const std::string other = read_text(*store, "run/grid_p1.idx", kMaxText).value();
  replace_file(*store, "run/grid_p2.idx", other, false).check();
  expect_loss(store, "run/grid_p2.idx");  // it names the blocks of the other
  store = written(run);
  const std::string old = read_text(*first, "run/grid_p3.idx", kMaxText).value();
  replace_file(*store, "run/grid_p3.idx", old, false).check();
  expect_loss(store, "grid_p3.idx has 1 steps");
  store = written(run);
  RunPlan larger = run_with(one_grid({32, 30, 1}), 4);
  const std::string of_another = read_text(*written(larger), "run/grid_p3.idx", kMaxText).value();
  replace_file(*store, "run/grid_p3.idx", of_another, false).check();
  expect_loss(store, "grid_p3");
}

// Blocks and .idx of one partition in place of those of another one of the same size.
TEST(LocalIndexErrors, APartOfAnotherPlaceIsNamed) {
  const RunPlan run = run_with(one_grid({32, 32, 1}), 4);
  const auto store = written(run);
  const auto renamed = renamed_idx_on(*store, "run/grid_p1.idx", "grid_p2");
  ASSERT_TRUE(renamed.ok()) << renamed.status().message();
  replace_file(*store, "run/grid_p2.idx", *renamed, false).check();
  expect_loss(store, "run/grid_p2.idx: is not the part 'grid_p2'");
}

TEST(LocalIndexErrors, ACatalogWithPartsThatOverlapIsRefused) {
  const RunPlan run = run_with(one_grid(), 4);
  const auto store = written(run);
  const auto catalog = idx::parse_catalog(read_text(*store, "run/esker.json", kMaxText).value());
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  auto damaged = *catalog;
  damaged.parts[1].place->box = damaged.parts[0].place->box;
  auto parsed = idx::parse_catalog(print_catalog(damaged));
  EXPECT_EQ(parsed.status().code(), Code::kDataLoss);
  EXPECT_NE(parsed.status().message().find(damaged.parts[1].name), std::string::npos)
      << parsed.status().message();
  damaged = *catalog;
  damaged.parts.erase(damaged.parts.begin() + 1);
  parsed = idx::parse_catalog(print_catalog(damaged));
  EXPECT_NE(parsed.status().message().find("a part is missing"), std::string::npos)
      << parsed.status().message();
  damaged = *catalog;
  damaged.parts[2].place.reset();
  EXPECT_EQ(idx::parse_catalog(print_catalog(damaged)).status().code(), Code::kDataLoss);
  EXPECT_EQ(*idx::parse_catalog(print_catalog(*catalog)), *catalog);
}

TEST(LocalIndexFiles, OpenOnTheirOwn) {
  const RunPlan run = run_with(one_grid(), 3);
  const auto store = written(run);
  const auto catalog = idx::parse_catalog(read_text(*store, "run/esker.json", kMaxText).value());
  ASSERT_TRUE(catalog.ok());
  const Field& field = run.schema->fields().front();
  for (const idx::CatalogPart& part : catalog->parts) {
    const auto opened = open_dataset(store, "run/" + part.name + ".idx");
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    EXPECT_EQ((*opened)->box(0), Box::from_extent(2, part.place->box.extents()));
    std::vector<Point> points;
    for_each_index_point(part.place->box, [&](const Point& p) { points.push_back(p); });
    const auto expected = expected_samples(field, 0, 1, points);
    EXPECT_EQ(level_of(**opened, 0, 1, (*opened)->bitmask(0)->max_level()), expected) << part.name;
  }
  const std::string midx = read_text(*store, "run/grid.midx", kMaxText).value();
  for (const idx::CatalogPart& part : catalog->parts) {
    EXPECT_NE(midx.find("url='./" + part.name + ".idx'"), std::string::npos) << midx;
  }
}

TEST(LocalIndexFiles, AreRebuiltFromTheirBlocks) {
  const RunPlan run = run_with(one_grid(), 3);
  const auto store = written(run);
  const auto catalog = idx::parse_catalog(read_text(*store, "run/esker.json", kMaxText).value());
  const std::string path = "run/" + catalog->parts.back().name + ".idx";
  const std::string before = read_text(*store, path, kMaxText).value();
  store->remove(path).check();
  RebuildRequest request;
  request.path = path;
  request.write = true;
  const auto rebuilt = rebuild_idx_on(store, request);
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status().message();
  EXPECT_EQ(read_text(*store, path, kMaxText).value(), before);
  expect_complete(store, run, run.end_step);
  EXPECT_EQ(idx::merge_on(store, run.path)->steps, 0);  // there is nothing to merge
}

/// Writes two steps on 3 ranks, with `rule` in the second one, which then is written again. Returns the
/// error.
Status write_with_fault(const std::shared_ptr<Store>& store, const RunPlan& run, int victim,
                        const std::function<int(StoreCall, const std::string&)>& rule) {
  std::mutex mutex;
  std::vector<Status> found;
  std::atomic<bool> armed{false};
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    const auto mine = faulty_store(store, [&](StoreCall call, const std::string& path) {
      return armed && comm.rank() == victim ? rule(call, path) : 0;
    });
    const auto pipeline = open_run(comm, mine, run).value();
    EXPECT_TRUE(write_step(*pipeline, comm, run, 0).ok());
    comm.get()->barrier();
    armed = true;
    comm.get()->barrier();
    const Status failed = write_step(*pipeline, comm, run, 1);
    comm.get()->barrier();
    armed = false;
    comm.get()->barrier();
    const Status again = write_step(*pipeline, comm, run, 1);
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_TRUE(pipeline->close({}).ok());
    const std::scoped_lock lock(mutex);
    found.push_back(failed);
  });
  for (const Status& status : found) {
    EXPECT_EQ(status.code(), found.front().code());
    EXPECT_EQ(status.message(), found.front().message());
  }
  return found.front();
}

// A leader that cannot replace its .idx, or not even undo that, fails the step on all ranks. No step is lost.
TEST(LocalIndexFaults, ACommitThatFailsOnOneRankIsUndone) {
  for (const bool several : {false, true}) {
    RunPlan run = run_with(several ? several_grids() : one_grid(), 3);
    const auto whole = written(run);
    for (const Fsync fsync : {Fsync::kNone, Fsync::kStep, Fsync::kClose}) {
      run.fsync = fsync;
      for (const int victim : {0, 1, 2}) {
        for (const bool only_once : {true, false}) {
          SCOPED_TRACE("victim " + std::to_string(victim) + (only_once ? " once" : ""));
          int calls = 0;
          const auto store = memory_store();
          const Status failed =
              write_with_fault(store, run, victim, [&](StoreCall call, const std::string& path) {
                const bool is_idx = call == StoreCall::kRename && path.find(".idx") != std::string::npos;
                return is_idx && (++calls == 1 || !only_once) ? EIO : 0;
              });
          EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
          const std::string who = "rank " + std::to_string(victim) + ": rename run/";
          EXPECT_NE(failed.message().find(who), std::string::npos) << failed.message();
          expect_same_files(*store, *whole, ".");
          ASSERT_FALSE(HasFailure());
        }
      }
    }
  }
}

TEST(LocalIndexFaults, AnIdxThatAnotherProgramChangedIsNamed) {
  const RunPlan run = run_with(one_grid({32, 32, 1}), 4);
  const auto store = memory_store();
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    const auto pipeline = open_run(comm, store, run).value();
    EXPECT_TRUE(write_step(*pipeline, comm, run, 0).ok());
    comm.get()->barrier();
    const std::string path = "run/grid_p2.idx", before = read_text(*store, path, kMaxText).value();
    comm.get()->barrier();
    if (comm.rank() == 0) replace_file(*store, path, before + "\n", false).check();
    comm.get()->barrier();
    const Status status = write_step(*pipeline, comm, run, 1);
    EXPECT_EQ(status.code(), Code::kDataLoss) << status.message();
    EXPECT_NE(status.message().find("grid_p2.idx differs"), std::string::npos) << status.message();
    comm.get()->barrier();
    if (comm.rank() == 0) replace_file(*store, path, before, false).check();
    comm.get()->barrier();
    EXPECT_TRUE(write_step(*pipeline, comm, run, 1).ok());
    EXPECT_TRUE(pipeline->close({}).ok());
  });
  expect_same_files(*store, *written(run), ".");
}

// The catalog is authoritative: parts with more steps are of a run that died between two commits.
TEST(LocalIndexFiles, MayBeAheadOfTheCatalog) {
  RunPlan run = run_with(one_grid(), 4), begun = run;
  begun.end_step = 1;
  const auto whole = written(run), store = written(begun), killed = written(run);
  replace_file(*killed, "run/esker.json", read_text(*store, "run/esker.json", kMaxText).value(), false)
      .check();
  replace_file(*killed, "run/grid_p3.idx", read_text(*store, "run/grid_p3.idx", kMaxText).value(), false)
      .check();
  expect_complete(killed, begun, 1);
  RunPlan rest = run;
  rest.first_step = 1;
  ASSERT_TRUE(write_all(killed, rest).ok());
  expect_same_files(*killed, *whole, ".");
}

}  // namespace
}  // namespace esker
