// What bounds a step is told apart from waiting for it: GatheredCounters::critical_path.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

constexpr int kRanks = 3;

/// Of a run with one writer, on storage that takes 3 ms for each write of samples: much longer than the rest
/// of a step, also with sanitizers.
RunReport slow_storage(const char* transport, const char* store_thread) {
  RunPlan run;
  run.n_ranks = kRanks;
  run.aggregators = 1;
  run.options = {{"transport", transport},
                 {"store_thread", store_thread},
                 {"bits_per_block", "8"},
                 {"collective_buffer", "4K"}};
  const auto store = faulty_store(memory_store(), [](StoreCall call, const std::string& path) {
    const bool is_slow = call == StoreCall::kWrite && path.ends_with(".bin");
    if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return 0;
  });
  RunReport report;
  run_ranks(kRanks, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, store, run).value();
    for (Index step = 0; step < run.end_step; ++step) write_step(*pipeline, comm, run, step).check();
    RunReport all = pipeline->report().value();
    pipeline->close(Status()).check();
    if (comm.rank() == 0) report = std::move(all);
  });
  return report;
}

const Spread& phase(const RunReport& report, const std::string& name) {
  return *std::ranges::find(report.counters.phases, name, &Spread::name);
}

double critical_s(const RunReport& report, const std::string& name) {
  return report.counters
      .critical_path[static_cast<std::size_t>(&phase(report, name) - report.counters.phases.data())];
}

TEST(Waiting, TheStoreOfOneWriterBoundsTheStep) {
  for (const char* transport : {"shared", "messages"}) {
    for (const char* store_thread : {"false", "true"}) {
      const RunReport report = slow_storage(transport, store_thread);
      const double store_s = phase(report, "store").max;
      EXPECT_DOUBLE_EQ(critical_s(report, "store"), store_s) << transport << " " << store_thread;
      EXPECT_GT(store_s, 0.7 * critical_s(report, "end_step")) << transport << " " << store_thread;
      EXPECT_LT(critical_s(report, "exchange"), 0.2 * store_s) << transport << " " << store_thread;
      EXPECT_LT(critical_s(report, "wait"), 0.2 * store_s) << transport << " " << store_thread;
    }
  }
}

TEST(Waiting, RanksThatWaitForAStoreExchangeNothing) {
  const RunReport report = slow_storage("shared", "false");
  const double store_s = phase(report, "store").max;
  EXPECT_LT(phase(report, "exchange").max, 0.2 * store_s);
  EXPECT_GT(phase(report, "wait").mean + phase(report, "agree").mean, 0.5 * store_s) << "two of three wait";
}

}  // namespace
}  // namespace esker
