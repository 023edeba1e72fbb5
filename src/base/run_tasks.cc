#include "base/run_tasks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/counting.h"
#include "base/guarded.h"
#include "base/system.h"

namespace esker {

int num_processors() {
  std::array<std::uint64_t, kMaxProcessors> usable;
  mark_usable_processors(usable);
  return std::max(1, static_cast<int>(std::count(usable.begin(), usable.end(), 1)));
}

namespace {

class Run {
 public:
  Run(Index num_tasks, const std::function<Worker()>& make_worker)
      : num_tasks_(num_tasks), make_worker_(make_worker) {}

  /// One thread's share. `after_each` returns whether to continue.
  template <class AfterEach>
  void work(const AfterEach& after_each) {
    Index task = 0;
    const Status status = guarded("read", [&]() -> Status {
      const Worker worker = make_worker_();
      Status result;
      while (result.ok() && !stopped_ && (task = next_++) < num_tasks_) {
        result = worker(task);
        ++done_;
        if (!after_each()) stopped_ = true;
      }
      return result;
    });
    if (!status.ok()) fail(task, status);
  }

  [[nodiscard]] double fraction_done() const {
    return static_cast<double>(done_.load()) / static_cast<double>(num_tasks_);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void fail(Index task, const Status& status) {
    const std::scoped_lock lock(mutex_);
    if (status_.ok() || task < failed_task_) {
      status_ = status;
      failed_task_ = task;
    }
    stopped_ = true;
  }

  Index num_tasks_;
  const std::function<Worker()>& make_worker_;
  std::atomic<Index> next_{0}, done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  Status status_;
  Index failed_task_ = 0;
};

}  // namespace

Status run_tasks(Index num_tasks, int threads, const std::function<Worker()>& make_worker,
                 const std::function<bool(double)>& progress) {
  Run run(num_tasks, make_worker);
  double reported = 0;
  bool cancelled = false;
  std::exception_ptr thrown;
  const auto report = [&](double fraction) {
    try {
      reported = fraction;
      cancelled = progress && !progress(fraction);
    } catch (...) {
      thrown = std::current_exception();
    }
    return !cancelled && !thrown;
  };
  {
    std::vector<std::jthread> others;
    try {
      for (Index t = 1; t < std::min<Index>(threads, num_tasks); ++t) {
        others.emplace_back([&run, first = first_number()] {
          const CountFrom numbers(first);
          run.work([] { return true; });
        });
      }
    } catch (const std::system_error&) {  // continue with the threads that were started
    } catch (const std::bad_alloc&) {
    }
    run.work([&] { return report(run.fraction_done()); });
  }
  const bool is_done = run.status().ok() && !cancelled && !thrown;
  if (is_done && reported < 1) report(1);  // the last task was another thread's
  if (thrown) std::rethrow_exception(thrown);
  if (!run.status().ok()) return run.status();
  return cancelled ? error(Code::kCancelled, "cancelled") : Status();
}

}  // namespace esker
