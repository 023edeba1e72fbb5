// Seconds, for the report.
#pragma once

#include <time.h>

#include <chrono>
#include <utility>

namespace esker {

class Stopwatch {
 public:
  /// Seconds since construction or the last lap().
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  /// Seconds since the last lap(); restarts the lap.
  double lap() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// CPU time of this thread, without waiting.
inline double thread_cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace esker
