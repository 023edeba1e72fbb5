// Attempts at the first step that fail before the dataset is created: the next attempt does not depend on
// them.
#include <gtest/gtest.h>

#include <atomic>

#include "base/guarded.h"
#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/test_new.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

/// A grid whose default blocks are larger than those of a small region.
RunPlan run_without_bits(int n_ranks) {
  RunPlan run;
  run.n_ranks = n_ranks;
  run.schema.emplace();
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) dims.push_back(run.schema->add_dim(name, 32).value());
  const int grid = run.schema->add_grid("grid", dims).value().index;
  run.schema->add_field({"temp", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  run.end_step = 1;
  run.options["bits_per_block"] = "0";
  return run;
}

std::vector<KeepCall> keep_corner(Index, int, const StepInput&) {
  return {{0, -1, KeepRule::inside({Box{{0, 0, 0}, {8, 8, 8}}})}};
}

/// A store in which no dataset can be created as long as `fails`.
std::shared_ptr<Store> store_without_renames(const std::shared_ptr<Store>& inner, std::atomic<bool>& fails) {
  return faulty_store(inner, [&fails](StoreCall call, const std::string&) {
    return call == StoreCall::kRename && fails ? ENOSPC : 0;
  });
}

/// The files of a run whose first step is dense, or sparse.
std::shared_ptr<Store> files_of(RunPlan run, bool is_sparse) {
  const auto store = memory_store();
  if (is_sparse) run.keep = keep_corner;
  write_all(store, run).check();
  return store;
}

TEST(FirstStep, HasTheSameBytesAfterFailedAttempts) {
  for (const int n_ranks : {1, 3}) {
    for (const bool is_sparse : {false, true}) {
      const RunPlan dense = run_without_bits(n_ranks);
      RunPlan sparse = dense;
      sparse.keep = keep_corner;
      const auto inner = memory_store();
      std::atomic<bool> fails = true;
      const auto store = store_without_renames(inner, fails);
      run_ranks(n_ranks, [&](const Communicator& comm) {
        const auto pipeline = open_run(comm, store, dense).value();
        for (const RunPlan* attempt : std::vector<const RunPlan*>{&dense, &sparse, &dense, &sparse}) {
          EXPECT_EQ(write_step(*pipeline, comm, *attempt, 0).code(), Code::kIoError);
        }
        comm.get()->barrier();
        fails = false;
        comm.get()->barrier();
        const Status written = write_step(*pipeline, comm, is_sparse ? sparse : dense, 0);
        EXPECT_TRUE(written.ok()) << written.message();
        EXPECT_TRUE(pipeline->close({}).ok());
      });
      expect_same_files(*inner, *files_of(dense, is_sparse), ".");
    }
  }
}

// A dense attempt leaves a plan; a sparse one runs out of memory anywhere; then the dense one is repeated.
TEST(FirstStep, HasTheSameBytesAfterAnAttemptWithoutMemory) {
  const RunPlan dense = run_without_bits(1);
  RunPlan sparse = dense;
  sparse.keep = keep_corner;
  const auto expected = files_of(dense, false);
  bool failed = true;
  for (long after = 0; failed; after += 1 + after / 50) {
    const auto inner = memory_store();
    std::atomic<bool> fails = true;
    const auto store = store_without_renames(inner, fails);
    run_ranks(1, [&](const Communicator& comm) {
      const auto pipeline = open_run(comm, store, dense).value();
      ASSERT_FALSE(write_step(*pipeline, comm, dense, 0).ok());
      StepData data(comm, sparse, 0);
      {
        const FailingNew failing({after});
        EXPECT_FALSE(guarded("", [&] { return pipeline->write_step(std::move(data.input)); }).ok());
        failed = FailingNew::num_failed() > 0;
      }
      fails = false;
      const Status written = write_step(*pipeline, comm, dense, 0);
      ASSERT_TRUE(written.ok()) << written.message();
      EXPECT_TRUE(pipeline->close({}).ok());
    });
    expect_same_files(*inner, *expected, ".");
    if (HasFailure()) FAIL() << "request " << after;
  }
}

}  // namespace
}  // namespace esker
