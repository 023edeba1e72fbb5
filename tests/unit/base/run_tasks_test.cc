#include "base/run_tasks.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/counting.h"

namespace esker {
namespace {

TEST(RunTasks, CountsTheProcessorsThatTheProcessIsBoundTo) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(num_processors(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(num_processors(), CPU_COUNT(&all));
}

TEST(RunTasks, RunsEachTaskOnce) {
  for (const int threads : {1, 2, 5, 100}) {
    std::mutex mutex;
    std::multiset<Index> done;
    const auto make_worker = [&]() -> Worker {
      return [&](Index task) {
        const std::scoped_lock lock(mutex);
        done.insert(task);
        return Status();
      };
    };
    ASSERT_TRUE(run_tasks(37, threads, make_worker, {}).ok());
    EXPECT_EQ(done.size(), 37U);
    EXPECT_EQ(std::set<Index>(done.begin(), done.end()).size(), 37U);
  }
  EXPECT_TRUE(run_tasks(0, 4, [] { return Worker(); }, {}).ok());
}

TEST(RunTasks, ReportsTheErrorOfTheFirstTaskAndStartsNoMore) {
  std::atomic<Index> begun{0};
  const auto make_worker = [&]() -> Worker {
    return [&](Index task) {
      ++begun;
      return task >= 10 ? error(Code::kDataLoss, "task {}", task) : Status();
    };
  };
  const Status status = run_tasks(1000, 3, make_worker, {});
  EXPECT_EQ(status.message(), "task 10");
  EXPECT_LT(begun, 20);
}

TEST(RunTasks, TurnsExceptionsOfTasksIntoErrors) {
  const auto no_memory = []() -> Worker { return [](Index) -> Status { throw std::bad_alloc(); }; };
  EXPECT_EQ(run_tasks(5, 2, no_memory, {}).code(), Code::kOutOfMemory);
  const auto no_worker = []() -> Worker { throw std::runtime_error("no"); };
  EXPECT_EQ(run_tasks(5, 2, no_worker, {}).code(), Code::kInternal);
}

TEST(RunTasks, ReportsProgressOnTheCallingThreadOnly) {
  const auto caller = std::this_thread::get_id();
  const auto make_worker = []() -> Worker { return [](Index) { return Status(); }; };
  double last = 0;
  const auto progress = [&](double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    last = fraction;
    return true;
  };
  for (const int threads : {1, 3}) {
    last = 0;
    ASSERT_TRUE(run_tasks(50, threads, make_worker, progress).ok());
    EXPECT_EQ(last, 1);
  }
}

TEST(RunTasks, EndsWhenCancelled) {
  std::atomic<Index> begun{0};
  const auto make_worker = [&]() -> Worker { return [&](Index) { return ++begun, Status(); }; };
  EXPECT_EQ(run_tasks(1000, 1, make_worker, [](double fraction) { return fraction < 0.01; }).code(),
            Code::kCancelled);
  EXPECT_EQ(begun, 10);
  EXPECT_THROW(run_tasks(9, 3, make_worker, [](double) -> bool { throw std::logic_error("enough"); }).check(),
               std::logic_error);
}

TEST(RunTasks, CountsFromTheNumberOfTheCallingThread) {
  const CountFrom numbers(1);
  const auto make_worker = []() -> Worker {
    return [](Index task) {
      return counted(task) == task + 1 ? Status() : Status(Code::kInternal, "counts from 0");
    };
  };
  EXPECT_TRUE(run_tasks(50, 4, make_worker, {}).ok());
  std::jthread([] { EXPECT_EQ(first_number(), 0); });
}

}  // namespace
}  // namespace esker
