// The choice to store in a thread: see exchange/store_ahead.h.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

/// A run in many rounds, on one or more ranks.
RunPlan run_with(const std::string& store_thread, const std::string& format) {
  RunPlan run;
  run.memory_budget = Index{192} << 10;
  run.path = format == "idx" ? "run.idx" : "run.nc";
  run.options = {{"format", format}, {"store_thread", store_thread}, {"collective_buffer", "4K"}};
  if (format == "idx") run.options["bits_per_block"] = "8";
  return run;
}

/// Per step: whether the calling thread of rank 0 made all writes of samples, and all writes.
std::vector<bool> in_place(const RunPlan& run, std::chrono::milliseconds delay) {
  std::vector<bool> steps;
  const auto files = memory_store();
  run_ranks(run.n_ranks, [&](const Communicator& comm) {
    bool own = true;
    const auto caller = std::this_thread::get_id();
    const auto store = faulty_store(files, [&](StoreCall call, const std::string&) {
      if (call != StoreCall::kWrite) return 0;
      std::this_thread::sleep_for(delay);
      if (std::this_thread::get_id() != caller) own = false;
      return 0;
    });
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) {
      own = true;
      write_step(*pipeline, comm, run, step).check();
      if (comm.rank() == 0) steps.push_back(own);
    }
    pipeline->close(Status()).check();
  });
  return steps;
}

TEST(StoreThread, StoresInAThreadOnRequest) {
  using std::chrono::milliseconds;
  for (const char* format : {"idx", "cdf5"}) {
    EXPECT_EQ(in_place(run_with("true", format), milliseconds(0)), (std::vector<bool>{false, false, false}));
    EXPECT_EQ(in_place(run_with("false", format), milliseconds(2)), (std::vector<bool>{true, true, true}));
  }
}

// A rank that waits for the storage uses a thread from the second step on, if ranks fill several buffers in
// turn.
TEST(StoreThread, StoresInAThreadIfRanksWaitForTheStorage) {
  RunPlan run = run_with("auto", "idx");
  run.n_ranks = run.aggregators = 2;
  EXPECT_EQ(in_place(run, std::chrono::milliseconds(2)), (std::vector<bool>{true, false, false}));
}

// Only writing is left to the thread, so that ranks which share files can have one, too.
TEST(StoreThread, WritesCompressedPiecesInAThread) {
  using std::chrono::milliseconds;
  for (const int n_ranks : {1, 2}) {
    for (const char* blocks_per_file : {"4", "100000"}) {
      RunPlan run = run_with("true", "idx");
      run.n_ranks = run.aggregators = n_ranks;
      run.options["compression"] = "zip";
      run.options["blocks_per_file"] = blocks_per_file;
      run.memory_budget = Index{320} << 10;
      EXPECT_EQ(in_place(run, milliseconds(0)), (std::vector<bool>{false, false, false}));
      run.options["store_thread"] = "auto";
      EXPECT_EQ(in_place(run, milliseconds(2)), (std::vector<bool>{true, false, false}));
      run.options["store_thread"] = "false";
      EXPECT_EQ(in_place(run, milliseconds(2)), (std::vector<bool>{true, true, true}));
    }
  }
}

TEST(StoreThread, AnErrorOfTheThreadThatWritesCompressedPiecesFailsTheStep) {
  int writes = 0;
  const auto store = faulty_store(memory_store(), [&](StoreCall call, const std::string& path) {
    const bool is_block = path.find(".bin") != std::string::npos;
    return call == StoreCall::kWrite && is_block && ++writes == 3 ? ENOSPC : 0;
  });
  RunPlan run = run_with("true", "idx");
  run.options["compression"] = "zip";
  const Communicator comm = Communicator::serial();
  auto pipeline = open_run(comm, store, run).value();
  const Status failed = write_step(*pipeline, comm, run, 0);
  EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
  EXPECT_TRUE(write_step(*pipeline, comm, run, 0).ok());
  pipeline->close(Status()).check();
  expect_complete(store, run, 1);
}

TEST(StoreThread, StopsAfterTheFirstErrorOfTheThread) {
  int writes = 0;
  const auto store = faulty_store(memory_store(), [&](StoreCall call, const std::string& path) {
    const bool is_block = path.find(".bin") != std::string::npos;
    return call == StoreCall::kWrite && is_block && ++writes == 3 ? ENOSPC : 0;
  });
  const RunPlan run = run_with("true", "idx");
  const Communicator comm = Communicator::serial();
  auto pipeline = open_run(comm, store, run).value();
  const Status failed = write_step(*pipeline, comm, run, 0);
  EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
  EXPECT_EQ(writes, 3) << "no buffer is stored after one that failed";
  EXPECT_TRUE(write_step(*pipeline, comm, run, 0).ok());
  pipeline->close(Status()).check();
}

}  // namespace
}  // namespace esker
